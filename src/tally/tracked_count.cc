#include "tally/tracked_count.h"

#include <algorithm>

#include "base/check.h"
#include "base/saturate.h"

namespace muster::tally {

TrackedCount::TrackedCount(const api::batch::JobStatus& status) {
    // A count below zero, which no rule lets into a status, is none.
    of(Ending::kSucceeded).counted = std::max(status.succeeded, 0);
    of(Ending::kFailed).counted = std::max(status.failed, 0);
    if (!status.uncounted_terminated_pods) return;
    named_.reserve(status.uncounted_terminated_pods->succeeded.size() +
                   status.uncounted_terminated_pods->failed.size());
    // A UID in both lists, which no rule lets into a status, stands where it comes first.
    for (const Text& uid : status.uncounted_terminated_pods->succeeded) name(uid, Ending::kSucceeded);
    for (const Text& uid : status.uncounted_terminated_pods->failed) name(uid, Ending::kFailed);
}

std::optional<Ending> TrackedCount::named(const Text& uid) const {
    if (places_.empty()) return std::nullopt;
    const auto found = places_.find(uid);
    if (found == places_.end()) return std::nullopt;
    CHECK(found->second < named_.size());
    return named_[found->second].ending;
}

void TrackedCount::hold(const Text& uid) {
    if (places_.empty()) return;
    if (const auto found = places_.find(uid); found != places_.end()) named_[found->second].held = true;
}

void TrackedCount::settle() {
    std::size_t kept = 0;
    for (Name& name : named_) {
        if (name.held) {
            std::swap(named_[kept++], name);
            continue;
        }
        Counts& counts = of(name.ending);
        CHECK(counts.uncounted > 0, "a pod that is not named is counted");
        --counts.uncounted;
        counts.counted = add_sat(counts.counted, 1);
    }
    if (kept == named_.size()) return;
    named_.resize(kept);
    places_.clear();
    for (std::size_t i = 0; i < named_.size(); ++i) places_.emplace(named_[i].uid, i);
    CHECK(places_.size() == named_.size(), "a UID is named once");
}

bool TrackedCount::name(const Text& uid, Ending ending) {
    if (uid.empty() || named(uid)) return false;
    named_.push_back({uid, ending});
    ++of(ending).uncounted;
    CHECK(places_.emplace(uid, named_.size() - 1).second, "a UID is named once");
    return true;
}

void TrackedCount::write_to(api::batch::JobStatus& status) const {
    CHECK(counted(Ending::kSucceeded) >= 0 && counted(Ending::kFailed) >= 0);
    status.succeeded = counted(Ending::kSucceeded);
    status.failed = counted(Ending::kFailed);
    api::batch::UncountedTerminatedPods pods;
    for (const Name& name : named_) {
        List<Text>& list = name.ending == Ending::kSucceeded ? pods.succeeded : pods.failed;
        list.edit().push_back(name.uid);
    }
    CHECK(static_cast<std::int64_t>(pods.succeeded.size()) == uncounted(Ending::kSucceeded));
    CHECK(static_cast<std::int64_t>(pods.failed.size()) == uncounted(Ending::kFailed));
    status.uncounted_terminated_pods = pods;
}

}  // namespace muster::tally
