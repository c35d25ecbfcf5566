// Leader election by a Lease: decides the next step of a candidate from what it knows. Pure. All durations are measured
// by the candidate's own steady clock. The times written in a Lease are other machines' wall clocks; they are only for
// information and never compared.
//
// Why there are never two leaders: a leader counts from the moment it *sent* the claim that was granted, and stops
// acting `renew` later. A waiting candidate counts from the moment it first *saw* that claim, which is no earlier, and
// takes over `lease` later, which is longer, if the lease still has the same version. The clocks may therefore run at
// rates that differ by lease/renew.
#pragma once

#include <optional>

#include "api/kinds/coordination.h"
#include "base/instant.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::client {

struct LeaseTimes {
    Duration lease = 15s;  // how long others wait for a sign of life
    Duration renew = 10s;  // how long a leader goes on without having been able to give one
    Duration retry = 2s;   // between tries of either
};

// kBadRequest with a sentence when they cannot keep the promise above: whole seconds of lease, longer than renew, which
// is longer than the longest pause between tries.
Result<> check_lease_times(const LeaseTimes& times);

// What a candidate draws its pauses from: up to so many retry periods more than one.
inline constexpr double kRetryJitter = 1.2;

struct LeaseView {
    enum class Knowledge {
        kDoubt,  // it has to be looked at
        kSeen,   // `lease` was looked at by the last request
        kOwn,    // `lease` is what the own last claim made of it
    };

    Text self{};
    LeaseTimes times{};
    Duration now{};
    Duration try_at{};  // the next try is not due before
    Knowledge knowledge = Knowledge::kDoubt;
    const api::coordination::Lease* lease = nullptr;  // null: there is none
    Duration changed_at{};                            // when this version of it was first seen
    std::optional<Duration> granted_at{};             // leading: when the last claim that was granted was sent
};

enum class LeaseStep {
    kWait,    // until the time given
    kLook,    // read the lease
    kCreate,  // there is none: make it, as the holder
    kTake,    // it is free, one's own, or its holder has given no sign of life: become the holder
    kRenew,   // give a sign of life
    kLose,    // stop acting, now
};

struct LeaseDecision {
    LeaseStep step = LeaseStep::kWait;
    Duration wait_until{};
    bool operator==(const LeaseDecision&) const = default;
};

LeaseDecision decide_lease(const LeaseView& view);

// Until when the view's holder of granted_at may act.
inline Duration acts_until(Duration granted_at, const LeaseTimes& times) { return granted_at + times.renew; }

// The lease with `self` as its holder, as a create (null: there is none) or as an update of exactly that version.
// `now` is the wall clock, for people to read.
api::coordination::Lease claim_lease(const api::coordination::Lease* lease, const Text& self, const LeaseTimes& times,
                                     Instant now);
// The lease without a holder, so that the next leader need not wait.
api::coordination::Lease release_lease(const api::coordination::Lease& lease, Instant now);
// Empty when the lease has no holder.
Text holder_of(const api::coordination::Lease& lease);

}  // namespace muster::client
