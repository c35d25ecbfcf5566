// How far the store has acknowledged, kept apart from RocksDB's logs: a log that is cut short or missing looks like one
// that was never longer, and only a second place can tell that writes are gone.
//     DIR/durable    two slots of 4096 bytes, written in turn: magic, group, revision, crc32c
// The journal writes a slot after a group's sync and before the group is acknowledged. So the record is never ahead of
// what is durable, and when the process is killed it is not behind what was acknowledged. The kernel has the slot then;
// the disk has it when the store has been idle for a moment, and at least every second (`sync`): only a failure of the
// power, together with a disk that lost synced writes of that second, goes unnoticed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/files/slot_file.h"
#include "store/object.h"

namespace muster::store {

struct DurableMark {
    std::uint64_t group = 0;
    Revision revision = 0;
    bool operator==(const DurableMark&) const = default;
};

std::string durable_path(const std::string& directory);
// Nothing when there is no record. kCorrupt when it is damaged or empty; one slot that was being written is no damage.
Result<std::optional<DurableMark>> read_durable(const std::string& directory);
// Puts a new record with this mark in the place of any other, on disk when it returns.
Result<> replace_durable(const std::string& directory, const DurableMark& mark);

class DurableRecord {
public:
    // The record must be there.
    static Result<std::unique_ptr<DurableRecord>> open(const std::string& directory);

    // Survives the end of the process; the disk has it after `sync`. kIo.
    Result<> write(const DurableMark& mark);
    // Costs nothing when nothing was written since.
    Result<> sync() { return file_->sync(); }

private:
    explicit DurableRecord(std::unique_ptr<os::SlotFile> file) : file_(std::move(file)) {}

    const std::unique_ptr<os::SlotFile> file_;
};

}  // namespace muster::store
