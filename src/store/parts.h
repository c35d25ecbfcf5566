// Parts: data that many objects share, written once. `PartTable` belongs to the writer of records and knows which block
// in memory is which part on disk. `PartLoader` returns the parts while records are read.
//
// A part may be deleted when no record on disk refers to it any more. The table holds every block that it knows. A
// block that only the table holds belongs to no object in memory, so to no newest state of a key; but a record on disk
// may be older than that state. The deletion is safe in the first group that brings the disk up to a revision not older
// than the newest revision at any time after the table was found to be the only holder.
// Invariant: a block that only the table holds stays so, because only a holder can give it to another.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/object.h"

namespace muster::store {

class PartTable {
public:
    struct Fresh {
        std::uint64_t number;
        std::string bytes;
    };

    // As RecordWriter::part. A new part is added to `fresh`.
    std::uint64_t number_of(const SharedBlock& block, void (*encode)(const void* context, std::string& out),
                            const void* context);
    // Those not written yet; the caller writes them together with the records and clears the list.
    std::vector<Fresh>& fresh() { return fresh_; }

    // Looks at some blocks, in rotation, for those that only the table holds.
    void look_for_dead(std::size_t blocks_max);
    // The parts that a group may delete. To be called once for every group, in order.
    std::vector<std::uint64_t> take_dead(Revision group_revision, Revision newest);

    // What was on disk when the store was opened: a part in use, or one that no object asked for.
    void restore(std::uint64_t number, SharedBlock block);
    void restore_dead(std::uint64_t number);
    std::size_t size() const { return parts_.size(); }

private:
    struct Part {
        std::uint64_t number;
        SharedBlock block;
    };
    struct Dying {
        std::uint64_t number;
        Revision needs;
    };

    std::vector<Part> parts_;
    std::unordered_map<const void*, std::size_t> by_identity_;  // place in parts_
    std::vector<Fresh> fresh_;
    std::size_t look_at_ = 0;
    std::vector<std::uint64_t> found_;  // alone, but it is not known yet which revision that needs
    std::deque<Dying> dying_;
    std::uint64_t next_ = 1;
};

// A RecordWriter over a table.
class PartWriter final : public RecordWriter {
public:
    explicit PartWriter(PartTable& table) : table_(table) {}
    std::uint64_t part(const SharedBlock& block, void (*encode)(const void* context, std::string& out),
                       const void* context) override {
        return table_.number_of(block, encode, context);
    }

private:
    PartTable& table_;
};

class PartLoader final : public PartSource {
public:
    void add(std::uint64_t number, std::string bytes) { parts_[number].bytes = std::move(bytes); }
    // Gives the table all parts. Fails when the codec asked for bytes and never said what became of them: the part
    // would look unused.
    Result<> hand_over(PartTable& table);

    Result<SharedBlock> find(std::uint64_t part) override;
    Result<std::string_view> bytes(std::uint64_t part) override;
    void decoded(std::uint64_t part, SharedBlock block) override;

private:
    struct Part {
        std::string bytes{};
        SharedBlock block{};
        bool asked = false;
    };
    std::unordered_map<std::uint64_t, Part> parts_;
};

}  // namespace muster::store
