// Counting pods exactly once, as KEP-2307 wants it. A finished pod is named by its UID in the status; then it loses its
// finalizer; then its name becomes a number. Whoever holds the finalizer is not a number yet, whoever is named is not
// named again: so no crash, lost answer or second look counts a pod twice, and none is lost.
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
    // Those named whom nobody holds become numbers.
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
