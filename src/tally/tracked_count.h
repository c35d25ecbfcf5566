// Counts finished pods exactly once, as in KEP-2307. First the pod's UID is listed in status.uncountedTerminatedPods
// ("named"), then the pod loses its finalizer, then the UID is removed and the counter rises. A pod that still has its
// finalizer is not counted yet, and a named pod is not named again. So a crash, a lost answer or a repeated sync
// neither counts a pod twice nor loses one.
//
// Use: make it from the stored status, hold() every pod that still has the finalizer, settle(), name() the next ones,
// write_to() the new status.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/kinds/batch.h"

namespace muster::tally {

enum class Ending : std::uint8_t { kSucceeded, kFailed };

class TrackedCount {
public:
    explicit TrackedCount(const api::batch::JobStatus& status);

    // How the pod was named. That stands, even if it shows another end later.
    std::optional<Ending> named(const Text& uid) const;
    // The pod still has its finalizer.
    void hold(const Text& uid);
    // Counts the named pods that are not held, and removes their names.
    void settle();
    // False, and nothing happens, when the pod has a name already.
    bool name(const Text& uid, Ending ending);

    // Named and not yet numbers.
    std::size_t uncounted() const { return named_.size(); }
    std::int32_t uncounted(Ending ending) const { return counts_[static_cast<int>(ending)].uncounted; }
    // The counters, without those.
    std::int32_t counted(Ending ending) const { return counts_[static_cast<int>(ending)].counted; }

    // Counters and names, in the order in which they were named.
    void write_to(api::batch::JobStatus& status) const;

private:
    struct Name {
        Text uid;
        Ending ending;
        bool held = false;
    };
    struct Counts {
        std::int32_t counted = 0;
        std::int32_t uncounted = 0;
    };
    Counts& of(Ending ending) { return counts_[static_cast<int>(ending)]; }

    std::vector<Name> named_;
    std::unordered_map<Text, std::size_t> places_;  // by UID, into named_
    Counts counts_[2];
};

}  // namespace muster::tally
