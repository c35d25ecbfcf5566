#include "api/validation/pod/resource_names.h"

#include <string>

#include "api/defaults/pod_resources.h"
#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

bool is_standard(std::string_view name) {
    return is_one_of(name, {"cpu",
                            "memory",
                            "ephemeral-storage",
                            "requests.cpu",
                            "requests.memory",
                            "requests.ephemeral-storage",
                            "limits.cpu",
                            "limits.memory",
                            "limits.ephemeral-storage",
                            "pods",
                            "resourcequotas",
                            "services",
                            "replicationcontrollers",
                            "secrets",
                            "configmaps",
                            "persistentvolumeclaims",
                            "storage",
                            "requests.storage",
                            "services.nodeports",
                            "services.loadbalancers"}) ||
           is_huge_pages(name) || name.starts_with("requests.hugepages-");
}

}  // namespace

bool is_native_resource(std::string_view name) {
    return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_extended_resource(std::string_view name) {
    if (is_native_resource(name) || name.starts_with("requests.")) return false;
    // A quota for it is called requests.<name>, which must be a name too.
    return is_qualified_name("requests." + std::string(name)).empty();
}

bool may_overcommit(std::string_view name) { return is_native_resource(name) && !is_huge_pages(name); }

bool check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    const Problems problems = is_qualified_name(name);
    errors.add_problems(path, name, problems);
    if (!problems.empty()) return false;
    if (name.find('/') == std::string_view::npos && !is_standard(name)) {
        errors.add_invalid(path, name, "must be a standard resource type or fully qualified");
        return false;
    }
    return true;
}

void check_container_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    check_resource_name(name, path, errors);
    if (name.find('/') == std::string_view::npos) {
        if (!is_one_of(name, {"cpu", "memory", "ephemeral-storage"}) && !is_huge_pages(name))
            errors.add_invalid(path, name, "must be a standard resource for containers");
    } else if (!is_native_resource(name) && !is_extended_resource(name)) {
        errors.add_invalid(path, name, "doesn't follow extended resource name standard");
    }
}

}  // namespace muster::api
