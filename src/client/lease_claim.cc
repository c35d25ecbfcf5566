#include "client/lease_claim.h"

#include <algorithm>

#include "base/saturate.h"

namespace muster::client {
namespace {

using api::coordination::Lease;
using Knowledge = LeaseView::Knowledge;

LeaseDecision wait_for(Duration until) { return {LeaseStep::kWait, until}; }
LeaseDecision step_now(LeaseStep step) { return {step, Duration()}; }

// What the lease itself says counts, as its holder may have other times than we.
Duration lease_span(const Lease& lease, const LeaseTimes& times) {
    return lease.spec.lease_duration_seconds ? Duration(std::chrono::seconds(*lease.spec.lease_duration_seconds))
                                             : times.lease;
}

LeaseDecision decide_as_leader(const LeaseView& view) {
    const Duration until = acts_until(*view.granted_at, view.times);
    if (view.now >= until) return step_now(LeaseStep::kLose);
    if (view.knowledge == Knowledge::kSeen) {
        if (!view.lease) return step_now(LeaseStep::kCreate);
        return step_now(holder_of(*view.lease) == view.self ? LeaseStep::kRenew : LeaseStep::kLose);
    }
    if (view.now < view.try_at) return wait_for(std::min(view.try_at, until));
    return step_now(view.knowledge == Knowledge::kOwn ? LeaseStep::kRenew : LeaseStep::kLook);
}

LeaseDecision decide_as_candidate(const LeaseView& view) {
    if (view.now >= view.try_at) return step_now(LeaseStep::kLook);
    if (view.knowledge != Knowledge::kSeen) return wait_for(view.try_at);
    if (!view.lease) return step_now(LeaseStep::kCreate);
    const Text holder = holder_of(*view.lease);
    if (holder.empty() || holder == view.self) return step_now(LeaseStep::kTake);
    const Duration expires_at = view.changed_at + lease_span(*view.lease, view.times);
    if (view.now >= expires_at) return step_now(LeaseStep::kTake);
    return wait_for(std::min(view.try_at, expires_at));
}

}  // namespace

Result<> check_lease_times(const LeaseTimes& times) {
    if (times.retry <= Duration()) return Error{Code::kBadRequest, "the retry period must be longer than nothing"};
    if (times.lease < 1s || times.lease % 1s != Duration())
        return Error{Code::kBadRequest, "the lease duration must be whole seconds, at least one"};
    if (times.lease <= times.renew)
        return Error{Code::kBadRequest, "the lease duration must be longer than the renew deadline"};
    if (std::chrono::duration<double>(times.renew) <= kRetryJitter * std::chrono::duration<double>(times.retry))
        return Error{Code::kBadRequest, "the renew deadline must be longer than 1.2 retry periods"};
    return {};
}

LeaseDecision decide_lease(const LeaseView& view) {
    return view.granted_at ? decide_as_leader(view) : decide_as_candidate(view);
}

Text holder_of(const Lease& lease) { return lease.spec.holder_identity.value_or(Text()); }

Lease claim_lease(const Lease* lease, const Text& self, const LeaseTimes& times, Instant now) {
    Lease claim = lease ? *lease : Lease();
    const auto at = api::MicroTime::from_instant(now);
    if (!lease) claim.spec.lease_transitions = 0;
    if (!lease || !(holder_of(*lease) == self)) {
        claim.spec.acquire_time = at;
        if (lease) claim.spec.lease_transitions = add_sat(lease->spec.lease_transitions.value_or(0), 1);
    }
    claim.spec.holder_identity = self;
    claim.spec.lease_duration_seconds =
        static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::seconds>(times.lease).count());
    claim.spec.renew_time = at;
    return claim;
}

Lease release_lease(const Lease& lease, Instant now) {
    Lease released = lease;
    const auto at = api::MicroTime::from_instant(now);
    released.spec.holder_identity = Text();
    released.spec.lease_duration_seconds = 1;
    released.spec.acquire_time = at;
    released.spec.renew_time = at;
    return released;
}

}  // namespace muster::client
