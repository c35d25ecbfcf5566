#include "api/validation/namespace.h"

#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using core::Namespace;

void check_finalizer(const Text& finalizer, const FieldPath& path, FieldErrors& errors) {
    errors.add_problems(path, finalizer, is_qualified_name(finalizer));
    if (finalizer.view().find('/') != std::string_view::npos) return;
    if (finalizer == "kubernetes" || finalizer == "orphan" || finalizer == "foregroundDeletion") return;
    errors.add_invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
}

void check_own_rules(const Namespace& space, FieldErrors& errors) {
    check_metadata(space.metadata, false, is_dns1123_label, kMetadata, errors);
    for (const Text& finalizer : space.spec.finalizers)
        check_finalizer(finalizer, FieldPath("spec").child("finalizers"), errors);
}

}  // namespace

FieldErrors validate_namespace_create(const Namespace& space) {
    FieldErrors errors;
    check_own_rules(space, errors);
    return errors;
}

FieldErrors validate_namespace_update(const Namespace& space, const Namespace&) {
    FieldErrors errors;
    check_own_rules(space, errors);
    return errors;
}

FieldErrors validate_namespace_status_update(const Namespace& space, const Namespace&) {
    FieldErrors errors;
    const FieldPath path = FieldPath("status").child("Phase");
    const Text& phase = space.status.phase;
    if (!space.metadata.deletion_timestamp) {
        if (!(phase == "Active"))
            errors.add_invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty");
    } else if (!(phase == "Terminating")) {
        errors.add_invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
    return errors;
}

FieldErrors validate_namespace_finalize(const Namespace& space) {
    FieldErrors errors;
    for (std::size_t i = 0; i < space.spec.finalizers.size(); ++i)
        check_finalizer(space.spec.finalizers[i], FieldPath("spec").child("finalizers").index(i), errors);
    return errors;
}

}  // namespace muster::api
