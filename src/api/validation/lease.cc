#include "api/validation/lease.h"

#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using coordination::Lease;

void check_spec(const coordination::LeaseSpec& spec, FieldErrors& errors) {
    const FieldPath path("spec");
    if (spec.lease_duration_seconds && *spec.lease_duration_seconds <= 0)
        errors.add_invalid(path.child("leaseDurationSeconds"), *spec.lease_duration_seconds, kPositiveSentence);
    if (spec.lease_transitions) check_non_negative(path.child("leaseTransitions"), *spec.lease_transitions, errors);
    if (spec.strategy) errors.add_problems(path.child("strategy"), *spec.strategy, is_qualified_name(*spec.strategy));
    if (spec.preferred_holder && !spec.preferred_holder->empty() && (!spec.strategy || spec.strategy->empty()))
        errors.add_forbidden(path.child("preferredHolder"), "may only be specified when `strategy` is defined");
}

}  // namespace

FieldErrors validate_lease_create(const Lease& lease) {
    FieldErrors errors;
    check_metadata(lease.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    check_spec(lease.spec, errors);
    return errors;
}

FieldErrors validate_lease_update(const Lease& now, const Lease&) {
    FieldErrors errors;
    check_spec(now.spec, errors);
    return errors;
}

}  // namespace muster::api
