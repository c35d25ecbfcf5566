#include "store/history.h"

#include "base/check.h"

namespace muster::store {

std::uint64_t History::append(HistoryEvent event) {
    CHECK(event.revision > newest_ && event.revision > gone_);
    if (!last_ || last_->events.size() == kBlockEvents) {
        auto block = std::make_shared<Block>(next_);
        last_ = block.get();
        blocks_.push_back(std::move(block));
    }
    const std::size_t weight = sizeof(HistoryEvent) + (event.previous ? event.previous->weight() : 0);
    newest_ = event.revision;
    last_->weight += weight;
    weight_ += weight;
    last_->events.push_back(std::move(event));
    return next_++;
}

History::BlockPtr History::drop_oldest() {
    CHECK(!blocks_.empty());
    BlockPtr block = std::move(blocks_.front());
    blocks_.pop_front();
    if (blocks_.empty()) last_ = nullptr;
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
