// A journal whose disk is memory, for tests and the simulator. The disk outlives the journal, as a disk outlives a
// process; a crash may lose the group that was being written, or not, but never half of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "os/loop/loop.h"
#include "store/journal.h"
#include "store/parts.h"

namespace muster::store {

// What is safe, and the group that is written but not synced.
class MemoryDisk {
public:
    struct Record {
        Revision revision = 0;
        Revision base = 0;  // when its own half was written
        std::string own{};
        std::string status{};
    };
    struct Edit {
        std::string key;
        Revision replaces;
        std::optional<Record> record;
        bool only_status;  // the record has no own half, and leaves the one there as it is
    };
    struct GroupEdits {
        std::vector<Edit> records{};
        std::vector<PartTable::Fresh> new_parts{};
        std::vector<std::uint64_t> dead_parts{};
        Revision revision = 0;
    };

    // The end of a sync, or a crash that was kind: the group under way is there. Checks that it continues what is.
    void sync();
    // A crash that was not.
    void forget() { under_way.reset(); }

    std::map<std::string, Record> records;
    std::map<std::uint64_t, std::string> parts;
    Revision revision = 0;
    std::optional<GroupEdits> under_way;
};

class MemoryJournal final : public Journal {
public:
    // A group takes two runs of the worker: one to write and one to sync.
    MemoryJournal(os::Loop& loop, os::Worker& worker, MemoryDisk& disk);
    ~MemoryJournal() override;

    Result<Revision> recover(Codec& codec, const Each& each) override;
    void commit(Group group, os::Work durable) override;

private:
    void write(Group group);

    os::Loop& loop_;
    os::Worker& worker_;
    MemoryDisk& disk_;
    PartTable parts_;
    bool busy_ = false;
    std::shared_ptr<MemoryJournal*> self_;  // work that comes after the end finds it null
};

}  // namespace muster::store
