#include "store/watch.h"

#include <algorithm>

#include "store/bucket.h"

namespace muster::store {

Watch::Watch(std::shared_ptr<Bucket> bucket, std::string prefix, Revision from, Visibility visibility)
    : bucket_(std::move(bucket)),
      prefix_(std::move(prefix)),
      visibility_(visibility),
      whole_bucket_(prefix_ == bucket_->prefix),
      next_(bucket_->history.first_after(from)),
      seen_(from) {}

Watch::~Watch() = default;

Revision Watch::visible() const {
    return visibility_ == Visibility::kDurable ? bucket_->progress->durable : bucket_->progress->revision;
}

os::WaiterLine& Watch::line() {
    return visibility_ == Visibility::kDurable ? bucket_->waiting_durable : bucket_->waiting;
}

bool Watch::has_news() const {
    const History& history = bucket_->history;
    if (bucket_->progress->closed || next_ < history.first()) return true;
    return next_ < history.next() && history.at(next_).revision <= visible();
}

Result<const Event*> Watch::next() {
    const History& history = bucket_->history;
    if (bucket_->progress->closed) return Error{Code::kCancelled, "the store was closed"};
    if (next_ < history.first())
        return Error{Code::kExpired, "revision " + std::to_string(seen_) + " is older than the oldest kept, " +
                                         std::to_string(history.gone())};
    const Revision limit = visible();
    while (next_ < history.next()) {
        if (!block_ || !block_->holds(next_)) block_ = history.block(next_);
        const HistoryEvent& event = block_->at(next_);
        if (event.revision > limit) break;
        ++next_;
        seen_ = event.revision;
        if (whole_bucket_ || event.key.view().starts_with(prefix_)) return &event;
    }
    seen_ = std::max(seen_, limit);
    block_.reset();
    return nullptr;
}

}  // namespace muster::store
