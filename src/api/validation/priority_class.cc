#include "api/validation/priority_class.h"

#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using scheduling::PriorityClass;

constexpr const char* kSystemPrefix = "system-";
struct SystemPriorityClass {
    const char* name;
    std::int32_t value;
    const char* description;
};
constexpr SystemPriorityClass kSystemClasses[] = {
    {"system-cluster-critical", 2'000'000'000, "For pods that the cluster cannot do without, on whatever node."},
    {"system-node-critical", 2'000'001'000, "For pods that their node cannot do without."},
};

// Empty when the class is one of the system's own, as it should be.
std::string what_is_wrong_with_system_class(const PriorityClass& priority_class) {
    for (const SystemPriorityClass& known : kSystemClasses) {
        if (!(priority_class.metadata.name == known.name)) continue;
        const std::string name = known.name;
        if (priority_class.value != known.value)
            return "value of " + name + " PriorityClass must be " + std::to_string(known.value);
        if (priority_class.global_default) return "globalDefault of " + name + " PriorityClass must be false";
        return "";
    }
    return priority_class.metadata.name + " is not a known system priority class";
}

void check_value(const PriorityClass& priority_class, FieldErrors& errors) {
    if (priority_class.metadata.name.view().starts_with(kSystemPrefix)) {
        const std::string wrong = what_is_wrong_with_system_class(priority_class);
        if (!wrong.empty()) {
            errors.add_forbidden(
                kMetadata.child("name"),
                "priority class names with 'system-' prefix are reserved for system use only. error: " + wrong);
        }
    } else if (priority_class.value > kUserPriorityMax) {
        errors.add_forbidden(FieldPath("value"),
                             "maximum allowed value of a user defined priority is " + std::to_string(kUserPriorityMax));
    }
    const auto& policy = priority_class.preemption_policy;
    if (policy && !(*policy == "PreemptLowerPriority") && !(*policy == "Never"))
        errors.add_not_supported(FieldPath("preemptionPolicy"), *policy, {"PreemptLowerPriority", "Never"});
}

}  // namespace

FieldErrors validate_priority_class_create(const PriorityClass& priority_class) {
    FieldErrors errors;
    check_metadata(priority_class.metadata, false, is_dns1123_subdomain, kMetadata, errors);
    check_value(priority_class, errors);
    return errors;
}

FieldErrors validate_priority_class_update(const PriorityClass& now, const PriorityClass& before) {
    FieldErrors errors;
    if (now.value != before.value) errors.add_forbidden(FieldPath("value"), "may not be changed in an update.");
    check_immutable(now.preemption_policy, before.preemption_policy, FieldPath("preemptionPolicy"), errors);
    return errors;
}

}  // namespace muster::api
