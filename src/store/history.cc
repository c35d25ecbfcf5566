#include "store/history.h"

#include <algorithm>

#include "base/check.h"

namespace muster::store {

std::uint64_t History::append(HistoryEvent event, VersionWeights weights) {
    CHECK(event.revision > newest_ && event.revision > gone_);
    CHECK(event.older < next_ && event.previous_revision < event.revision, "what was before an event came before it");
    CHECK(event.object || event.previous, "an event has a state before it, or after it");
    if (!last_ || last_->events.size() == kBlockEvents || last_->weight >= kBlockBytes) {
        auto block = std::make_shared<Block>(next_);
        last_ = block.get();
        blocks_.push_back(std::move(block));
    }
    const std::size_t weight = sizeof(HistoryEvent) + kept_by(event, weights);
    if (!event.object) deleted_ = event.previous;
    newest_ = event.revision;
    last_->weight += weight;
    weight_ += weight;
    last_->events.push_back(std::move(event));
    return next_++;
}

// What a replaced version shares with its successor is kept by that. What a deleted object shares with the one that was
// deleted before it, as pods of one Job do, has been counted there.
std::size_t History::kept_by(const HistoryEvent& event, VersionWeights weights) const {
    if (!event.object) return event.previous ? event.previous->weight(deleted_.get()) : 0;
    // An object that packs is kept as it is by the history alone.
    return weights.replaced + (event.object->packs() ? weights.added : 0);
}

const History::BlockPtr& History::block(std::uint64_t number) const {
    CHECK(number >= first_ && number < next_, "the history has the event");
    // No block before this one can hold it, and mostly this one does.
    const auto from = blocks_.begin() + static_cast<std::ptrdiff_t>((number - blocks_.front()->first) / kBlockEvents);
    if (from != blocks_.end() && (*from)->holds(number)) return *from;
    const auto after = std::upper_bound(from, blocks_.end(), number,
                                        [](std::uint64_t wanted, const BlockPtr& it) { return wanted < it->first; });
    CHECK(after != blocks_.begin());
    return after[-1];
}

History::BlockPtr History::drop_oldest() {
    CHECK(!blocks_.empty());
    CHECK(blocks_.front()->first == first_ && weight_ >= blocks_.front()->weight);
    BlockPtr block = std::move(blocks_.front());
    blocks_.pop_front();
    if (blocks_.empty()) {
        last_ = nullptr;
        deleted_.reset();
    }
    first_ += block->events.size();
    weight_ -= block->weight;
    gone_ = block->events.back().revision;
    return block;
}

std::uint64_t History::first_after(Revision revision) const {
    std::uint64_t low = first_;
    std::uint64_t high = next_;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (at(middle).revision <= revision) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace muster::store
