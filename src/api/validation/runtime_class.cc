#include "api/validation/runtime_class.h"

#include <set>
#include <tuple>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using runtime::RuntimeClass;

void check_class_tolerations(const List<core::Toleration>& tolerations, const FieldPath& path, FieldErrors& errors) {
    check_tolerations(tolerations, path, errors);
    std::set<std::tuple<Text, Text, Text, Text>> seen;
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
        const core::Toleration& one = tolerations[i];
        if (!seen.emplace(one.key, one.operator_, one.value, one.effect).second)
            errors.add_duplicate(path.index(i), shown_json(one));
    }
}

void check_runtime_class(const RuntimeClass& runtime_class, FieldErrors& errors) {
    errors.add_problems(FieldPath("handler"), runtime_class.handler, is_dns1123_label(runtime_class.handler));
    if (runtime_class.overhead) {
        core::ResourceRequirements as_limits;
        as_limits.limits = runtime_class.overhead->pod_fixed;
        check_container_resources(as_limits, core::PodSpec{}, FieldPath("overhead"), errors);
    }
    if (runtime_class.scheduling) {
        const FieldPath path("scheduling");
        check_labels(runtime_class.scheduling->node_selector, path.child("nodeSelector"), errors);
        check_class_tolerations(runtime_class.scheduling->tolerations, path.child("tolerations"), errors);
    }
}

}  // namespace

FieldErrors validate_runtime_class_create(const RuntimeClass& runtime_class) {
    FieldErrors errors;
    check_metadata(runtime_class.metadata, false, is_dns1123_subdomain, kMetadata, errors);
    check_runtime_class(runtime_class, errors);
    return errors;
}

FieldErrors validate_runtime_class_update(const RuntimeClass& now, const RuntimeClass& before) {
    FieldErrors errors;
    check_runtime_class(now, errors);
    check_immutable(now.handler, before.handler, FieldPath("handler"), errors);
    return errors;
}

}  // namespace muster::api
