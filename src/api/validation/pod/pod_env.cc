// Rules of environment variables: where they come from, and what of the pod they may name.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

constexpr std::string_view kEnvFields[] = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
// What a pod has at all; which of it may be handed over depends on where to.
constexpr std::string_view kPodFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs"};
constexpr std::string_view kResources[] = {"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                                           "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

bool contains(std::span<const std::string_view> choices, std::string_view value) {
    return std::find(choices.begin(), choices.end(), value) != choices.end();
}

// metadata.labels['key'] is a path and the key in it.
struct SubscriptedPath {
    std::string_view path;
    std::optional<std::string_view> key;
};

SubscriptedPath split_subscript(std::string_view text) {
    const std::size_t bracket = text.find("['");
    if (!text.ends_with("']") || bracket == std::string_view::npos || bracket == 0 || bracket + 4 > text.size())
        return {text, std::nullopt};
    return {text.substr(0, bracket), text.substr(bracket + 2, text.size() - bracket - 4)};
}

bool is_divisor(const Quantity& divisor, bool of_cpu) {
    const std::string text = divisor.text();
    if (of_cpu) return is_one_of(text, {"1m", "1"});
    return is_one_of(text, {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"});
}

// The resource without "limits." or "requests.", as the sentence about its divisor calls it; empty when unknown.
std::string_view divisor_subject(std::string_view resource) {
    const std::string_view name = resource.substr(std::min(resource.size(), resource.find('.') + 1));
    if (name.starts_with("hugepages-")) return "hugepages";
    if (name == "ephemeral-storage") return "local ephemeral storage";
    return name == "cpu" || name == "memory" ? name : std::string_view();
}

void check_divisor(const core::ResourceFieldSelector& selector, const FieldPath& path, FieldErrors& errors) {
    const std::string_view subject = divisor_subject(selector.resource);
    if (selector.divisor.is_zero() || subject.empty() || is_divisor(selector.divisor, subject == "cpu")) return;
    const char* values = subject == "cpu" ? "1m and 1" : "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
    errors.add_invalid(path, selector.resource,
                       std::string("only divisor's values ") + values + " are supported with the " +
                           std::string(subject) + " resource");
}

template <class Selector>
void check_key_selector(const Selector& selector, const FieldPath& path, FieldErrors& errors) {
    errors.add_problems(path.child("name"), selector.reference.name, is_dns1123_subdomain(selector.reference.name));
    if (selector.key.empty()) {
        errors.add_required(path.child("key"), "");
    } else {
        errors.add_problems(path.child("key"), selector.key, is_config_map_key(selector.key));
    }
}

void check_file_key(const core::FileKeySelector& selector, const FieldPath& path, FieldErrors& errors) {
    if (selector.key.empty()) {
        errors.add_required(path.child("key"), "");
    } else {
        errors.add_problems(path.child("key"), selector.key, is_env_var_name(selector.key));
    }
    if (selector.volume_name.empty()) {
        errors.add_required(path.child("volumeName"), "");
    } else {
        errors.add_problems(path.child("volumeName"), selector.volume_name, is_dns1123_label(selector.volume_name));
    }
    if (selector.path.empty()) {
        errors.add_required(path.child("path"), "");
    } else {
        check_no_backsteps(selector.path, path.child("path"), errors);
    }
}

void check_value_from(const core::EnvVar& variable, const FieldPath& path, FieldErrors& errors) {
    const core::EnvVarSource& from = *variable.value_from;
    const int sources = !!from.field_ref + !!from.resource_field_ref + !!from.config_map_key_ref +
                        !!from.secret_key_ref + !!from.file_key_ref;
    if (from.field_ref) check_field_ref(*from.field_ref, kEnvFields, path.child("fieldRef"), errors);
    if (from.resource_field_ref)
        check_resource_field_ref(*from.resource_field_ref, false, path.child("resourceFieldRef"), errors);
    if (from.config_map_key_ref) check_key_selector(*from.config_map_key_ref, path.child("configMapKeyRef"), errors);
    if (from.secret_key_ref) check_key_selector(*from.secret_key_ref, path.child("secretKeyRef"), errors);
    if (from.file_key_ref) check_file_key(*from.file_key_ref, path.child("fileKeyRef"), errors);
    if (sources == 0) {
        errors.add_invalid(path, "",
                           "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                           "`fileKeyRef`");
    } else if (!variable.value.empty()) {
        errors.add_invalid(path, "", "may not be specified when `value` is not empty");
    } else if (sources > 1) {
        errors.add_invalid(path, "", "may not have more than one field specified at a time");
    }
}

void check_env_source(const Text& name, const FieldPath& path, FieldErrors& errors) {
    if (name.empty()) {
        errors.add_required(path.child("name"), "");
    } else {
        errors.add_problems(path.child("name"), name, name_prefix_problems(name, is_dns1123_subdomain));
    }
}

}  // namespace

void check_field_ref(const core::ObjectFieldSelector& selector, std::span<const std::string_view> allowed,
                     const FieldPath& path, FieldErrors& errors) {
    if (selector.api_version.empty()) return errors.add_required(path.child("apiVersion"), "");
    if (selector.field_path.empty()) return errors.add_required(path.child("fieldPath"), "");
    const auto refuse = [&](const std::string& why) {
        errors.add_invalid(path.child("fieldPath"), selector.field_path, "error converting fieldPath: " + why);
    };
    if (!(selector.api_version == "v1")) return refuse("unsupported pod version: " + selector.api_version.str());
    const auto [field, key] = split_subscript(selector.field_path);
    if (key) {
        if (field != "metadata.annotations" && field != "metadata.labels")
            return refuse("field label does not support subscript: " + selector.field_path.str());
        std::string name(*key);
        if (field == "metadata.annotations")
            std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
        errors.add_problems(path, name, is_qualified_name(name));
        return;
    }
    // Old clients say spec.host.
    const std::string_view asked = field == "spec.host" ? "spec.nodeName" : field;
    if (!contains(kPodFields, asked)) return refuse("field label not supported: " + std::string(asked));
    if (!contains(allowed, asked)) errors.add_not_supported(path.child("fieldPath"), asked, allowed);
}

void check_resource_field_ref(const core::ResourceFieldSelector& selector, bool in_volume, const FieldPath& path,
                              FieldErrors& errors) {
    const std::string_view resource = selector.resource;
    if (in_volume && selector.container_name.empty()) {
        errors.add_required(path.child("containerName"), "");
    } else if (resource.empty()) {
        errors.add_required(path.child("resource"), "");
    } else if (!contains(kResources, resource) && !resource.starts_with("limits.hugepages-") &&
               !resource.starts_with("requests.hugepages-")) {
        errors.add_not_supported(path.child("resource"), resource, kResources);
    }
    check_divisor(selector, path.child("divisor"), errors);
}

void check_env(const List<core::EnvVar>& env, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < env.size(); ++i) {
        const FieldPath at = path.index(i);
        if (env[i].name.empty()) {
            errors.add_required(at.child("name"), "");
        } else {
            errors.add_problems(at.child("name"), env[i].name, is_env_var_name(env[i].name));
        }
        check_no_nul(env[i].value, at.child("value"), errors);
        if (env[i].value_from) check_value_from(env[i], at.child("valueFrom"), errors);
    }
}

void check_env_from(const List<core::EnvFromSource>& sources, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const core::EnvFromSource& source = sources[i];
        const FieldPath at = path.index(i);
        if (!source.prefix.empty())
            errors.add_problems(at.child("prefix"), source.prefix, is_env_var_name(source.prefix));
        if (source.config_map_ref)
            check_env_source(source.config_map_ref->reference.name, at.child("configMapRef"), errors);
        if (source.secret_ref) check_env_source(source.secret_ref->reference.name, at.child("secretRef"), errors);
        if (!source.config_map_ref && !source.secret_ref)
            errors.add_invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
        if (source.config_map_ref && source.secret_ref)
            errors.add_invalid(path, "", "may not have more than one field specified at a time");
    }
}

// A file of variables must be in an emptyDir: a container of this pod writes it before it is read.
void check_env_files(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    for_each_container(spec, path, [&](const core::Container& container, const FieldPath& container_path) {
        for (std::size_t i = 0; i < container.env.size(); ++i) {
            const Box<core::EnvVarSource>& from = container.env[i].value_from;
            if (!from || !from->file_key_ref) continue;
            const Text& name = from->file_key_ref->volume_name;
            const FieldPath at = container_path.child("env").index(i).child("valueFrom", "fileKeyRef", "volumeName");
            const core::Volume* found = nullptr;
            for (const core::Volume& volume : spec.volumes)
                if (volume.name == name) found = &volume;
            if (!found) {
                errors.add_not_found(at, name);
            } else if (!found->source.empty_dir) {
                errors.add_invalid(at, name, "referenced volume must be of type emptyDir");
            }
        }
    });
}

}  // namespace muster::api
