// Annotations that mean something to Kubernetes itself, and must agree with the fields that have taken their place.
#include <charconv>

#include "api/validation/pod/pod_rules.h"
#include "api/value/quote.h"

namespace muster::api {
namespace {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kSeccompPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmorContainer = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocalhost = "localhost/";

// A number of 32 bits without a plus sign or leading zeros.
bool is_deletion_cost(std::string_view text) {
    if (text.empty() || (text[0] != '-' && !(text == "0") && !(text[0] >= '1' && text[0] <= '9'))) return false;
    std::int32_t cost = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
    return error == std::errc() && end == text.data() + text.size();
}

void check_seccomp_annotation(std::string_view profile, const FieldPath& path, FieldErrors& errors) {
    if (is_one_of(profile, {"runtime/default", "docker/default", "unconfined"})) return;
    if (!profile.starts_with(kLocalhost)) return errors.add_invalid(path, profile, "must be a valid seccomp profile");
    check_descending_path(profile.substr(kLocalhost.size()), path, errors);
}

void check_app_armor_annotation(std::string_view key, std::string_view profile, const core::PodSpec& spec,
                                const FieldPath& path, FieldErrors& errors) {
    const std::string_view container = key.substr(kAppArmorContainer.size());
    bool found = false;
    for_each_container(spec, FieldPath(),
                       [&](const core::Container& one, const FieldPath&) { found |= one.name == container; });
    if (!found) errors.add_invalid(path.key(key), container, "container not found");
    if (!profile.empty() && !is_one_of(profile, {"runtime/default", "unconfined"}) && !profile.starts_with(kLocalhost))
        errors.add_invalid(path.key(key), profile, "invalid AppArmor profile name: " + in_quotes(profile));
}

// `what` is seccomp or apparmor.
template <class Profile>
void check_profile_matches(const Text* annotation, const Profile& profile, const char* what, const FieldPath& path,
                           FieldErrors& errors) {
    if (!annotation) return;
    const std::string_view said = *annotation;
    bool same_type = true;
    if (profile.type == "Unconfined") same_type = said == "unconfined";
    if (profile.type == "RuntimeDefault")
        same_type = said == "runtime/default" || (said == "docker/default" && what == std::string_view("seccomp"));
    if (profile.type == "Localhost") same_type = said.starts_with(kLocalhost);
    if (!same_type) {
        errors.add_forbidden(path.child("type"), std::string(what) + " type in annotation and field must match");
    } else if (profile.type == "Localhost" &&
               (!profile.localhost_profile || !(*profile.localhost_profile == said.substr(kLocalhost.size())))) {
        errors.add_forbidden(path.child("localhostProfile"),
                             std::string(what) + " profile in annotation and field must match");
    }
}

void check_seccomp_matches(const Map<Text>& annotations, const core::PodSpec& spec, const FieldPath& spec_path,
                           FieldErrors& errors) {
    if (spec.security_context && spec.security_context->seccomp_profile)
        check_profile_matches(annotations.find(kSeccompPod), *spec.security_context->seccomp_profile, "seccomp",
                              spec_path.child("securityContext", "seccompProfile"), errors);
    for_each_container(spec, spec_path, [&](const core::Container& container, const FieldPath& path) {
        if (container.security_context && container.security_context->seccomp_profile)
            check_profile_matches(annotations.find(std::string(kSeccompContainer) + container.name.str()),
                                  *container.security_context->seccomp_profile, "seccomp",
                                  path.child("securityContext", "seccompProfile"), errors);
    });
}

void check_app_armor_matches(const Map<Text>& annotations, const core::PodSpec& spec, const FieldPath& spec_path,
                             FieldErrors& errors) {
    if (spec.os && spec.os->name == "windows") return;
    for_each_container(spec, spec_path, [&](const core::Container& container, const FieldPath& path) {
        const core::AppArmorProfile* profile =
            spec.security_context ? spec.security_context->app_armor_profile.get() : nullptr;
        if (container.security_context && container.security_context->app_armor_profile)
            profile = container.security_context->app_armor_profile.get();
        if (profile)
            check_profile_matches(annotations.find(std::string(kAppArmorContainer) + container.name.str()), *profile,
                                  "apparmor", path.child("securityContext", "appArmorProfile"), errors);
    });
}

bool is_app_armor(std::string_view key) { return key.starts_with(kAppArmorContainer); }

}  // namespace

void check_pod_annotations(const Map<Text>& annotations, const core::PodSpec& spec, const FieldPath& path,
                           FieldErrors& errors) {
    if (annotations.empty()) return;
    if (const Text* mirror = annotations.find(kMirrorAnnotation); mirror && spec.node_name.empty())
        errors.add_invalid(path.key(kMirrorAnnotation), *mirror,
                           "must set spec.nodeName if mirror pod annotation is set");
    if (const Text* cost = annotations.find(kDeletionCost); cost && !is_deletion_cost(*cost))
        errors.add_invalid(path.key(kDeletionCost), *cost, "must be a 32bit integer");
    if (const Text* profile = annotations.find(kSeccompPod))
        check_seccomp_annotation(*profile, path.child(kSeccompPod), errors);
    for (const auto& [key, profile] : annotations)
        if (key.view().starts_with(kSeccompContainer)) check_seccomp_annotation(profile, path.child(key), errors);
    for (const auto& [key, profile] : annotations)
        if (is_app_armor(key)) check_app_armor_annotation(key, profile, spec, path, errors);
}

void check_pod_annotation_update(const core::Pod& now, const core::Pod& before, const FieldPath& path,
                                 FieldErrors& errors) {
    for (const auto& [key, value] : before.metadata.annotations) {
        const Text* kept = now.metadata.annotations.find(key);
        if (kept && *kept == value) continue;
        if (is_app_armor(key)) errors.add_forbidden(path.key(key), "may not remove or update AppArmor annotations");
        if (key == kMirrorAnnotation)
            errors.add_forbidden(path.key(key), "may not remove or update mirror pod annotation");
    }
    for (const auto& [key, value] : now.metadata.annotations) {
        if (before.metadata.annotations.contains(key)) continue;
        if (is_app_armor(key)) errors.add_forbidden(path.key(key), "may not add AppArmor annotations");
        if (key == kMirrorAnnotation) errors.add_forbidden(path.key(key), "may not add mirror pod annotation");
    }
    check_pod_annotations(now.metadata.annotations, now.spec, path, errors);
}

void check_profile_annotations_match(const Map<Text>& annotations, const core::PodSpec& spec,
                                     const FieldPath& spec_path, FieldErrors& errors) {
    if (annotations.empty()) return;
    check_seccomp_matches(annotations, spec, spec_path, errors);
    check_app_armor_matches(annotations, spec, spec_path, errors);
}

}  // namespace muster::api
