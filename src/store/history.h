// The recent events of one resource. Watches are cursors into it: an event is stored once, however many watches there
// are. Events are kept in blocks, and a block is dropped as a whole. A reader holds the block of its event, so the
// event stays valid after the history has dropped the block.
// Invariant: events are numbered from 1 without a gap, their revisions rise, and every event after `gone` is here.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/text.h"
#include "store/object.h"

namespace muster::store {

enum class EventType : std::uint8_t { kCreated, kUpdated, kDeleted };

struct Event {
    EventType type;
    Text key;
    Revision revision;   // of this change; for kDeleted the deletion's own
    ObjectPtr object;    // null when deleted
    ObjectPtr previous;  // null when created
};

// An event, and how to find the state before it.
struct HistoryEvent : Event {
    Revision previous_revision = 0;
    std::uint64_t older = 0;  // the number of the event before it for the same key; 0: none
};

// The bytes of two versions of an object: what the new one does not share with the one it replaces, and the reverse.
struct VersionWeights {
    std::size_t added = 0;
    std::size_t replaced = 0;
};

class History {
public:
    // A block is closed when it has so many events, or events that keep so many bytes alive.
    static constexpr std::uint64_t kBlockEvents = 64;
    static constexpr std::size_t kBlockBytes = 256u << 10;
    struct Block {
        std::uint64_t first;  // number of its first event
        std::size_t weight = 0;
        std::vector<HistoryEvent> events;

        explicit Block(std::uint64_t number) : first(number) { events.reserve(kBlockEvents); }
        bool holds(std::uint64_t number) const { return number - first < events.size(); }
        const HistoryEvent& at(std::uint64_t number) const { return events[number - first]; }
    };
    using BlockPtr = std::shared_ptr<const Block>;

    // Knows of nothing that happened up to that revision.
    explicit History(Revision gone) : gone_(gone) {}

    // Gives the event its number. The weights are of its two objects.
    std::uint64_t append(HistoryEvent event, VersionWeights weights);
    // Forgets the oldest block and hands it over. There must be one.
    BlockPtr drop_oldest();

    std::size_t size() const { return next_ - first_; }
    std::size_t weight() const { return weight_; }  // bytes that only the history keeps
    std::uint64_t first() const { return first_; }
    std::uint64_t next() const { return next_; }  // the number the next event will get
    // A reader whose state is older than this revision has missed events.
    Revision gone() const { return gone_; }
    Revision newest() const { return newest_; }
    const Block* oldest_block() const { return blocks_.empty() ? nullptr : blocks_.front().get(); }

    // The number must be in [first, next).
    const HistoryEvent& at(std::uint64_t number) const { return block(number)->at(number); }
    const BlockPtr& block(std::uint64_t number) const;
    // The number of the first event after a revision; `next()` when there is none.
    std::uint64_t first_after(Revision revision) const;

private:
    std::size_t kept_by(const HistoryEvent& event, VersionWeights weights) const;

    std::deque<BlockPtr> blocks_;
    Block* last_ = nullptr;
    ObjectPtr deleted_;  // of the last deletion
    std::uint64_t first_ = 1;
    std::uint64_t next_ = 1;
    std::size_t weight_ = 0;
    Revision gone_;
    Revision newest_ = 0;
};

}  // namespace muster::store
