#include "store/watch.h"

#include <algorithm>

#include "base/check.h"
#include "base/reached.h"
#include "store/bucket.h"

namespace muster::store {

Watch::Watch(std::shared_ptr<Bucket> bucket, std::string prefix, Revision from, Visibility visibility)
    : bucket_(std::move(bucket)),
      prefix_(std::move(prefix)),
      visibility_(visibility),
      whole_bucket_(prefix_ == bucket_->prefix),
      next_(bucket_->history.first_after(from)),
      seen_(from) {
    CHECK(prefix_.starts_with(bucket_->prefix), prefix_);
}

Watch::~Watch() = default;

Revision Watch::visible() const {
    return visibility_ == Visibility::kDurable ? bucket_->progress->durable : bucket_->progress->revision;
}

os::WaiterLine& Watch::line() {
    return visibility_ == Visibility::kDurable ? bucket_->waiting_durable : bucket_->waiting;
}

bool Watch::has_news() const {
    const History& history = bucket_->history;
    if (at_ != end_ || bucket_->progress->closed || next_ < history.first()) return true;
    return next_ < history.next() && history.at(next_).revision <= visible();
}

// Takes what can be seen of the next block: looking at the store's state once serves many events.
Result<const Event*> Watch::refill_and_next() {
    const History& history = bucket_->history;
    seen_ = seen();
    taken_ = at_;
    if (bucket_->progress->closed) return Error{Code::kCancelled, "the store was closed"};
    const Revision limit = visible();
    for (;;) {
        if (next_ < history.first()) {
            REACHED("a watch has fallen behind the history");
            return Error{Code::kExpired, "revision " + std::to_string(seen_) + " is older than the oldest kept, " +
                                             std::to_string(history.gone())};
        }
        if (next_ == history.next() || history.at(next_).revision > limit) break;
        block_ = history.block(next_);
        taken_ = at_ = end_ = &block_->at(next_);
        const HistoryEvent* const block_end = block_->events.data() + block_->events.size();
        if (block_end[-1].revision <= limit) {  // mostly: only the newest block is seen in parts
            end_ = block_end;
        } else {
            while (end_->revision <= limit) ++end_;
        }
        CHECK(end_ > at_, "the block has an event that can be seen");
        next_ += static_cast<std::uint64_t>(end_ - at_);
        CHECK(next_ <= history.next());
        for (; at_ != end_; ++at_)
            if (whole_bucket_ || at_->key.view().starts_with(prefix_)) return static_cast<const Event*>(at_++);
        seen_ = seen();
    }
    seen_ = std::max(seen_, limit);
    block_.reset();
    taken_ = at_ = end_ = nullptr;
    return nullptr;
}

}  // namespace muster::store
