#include "api/validation/rules/metadata.h"

#include <algorithm>

#include "api/value/quote.h"
#include "base/ascii.h"

namespace muster::api {
namespace {

constexpr const char* kOrphanFinalizer = "orphan";
constexpr const char* kForegroundFinalizer = "foregroundDeletion";
constexpr std::size_t kFieldManagerMax = 128;
constexpr std::size_t kSubresourceMax = 256;

void check_finalizers(const List<Text>& finalizers, const FieldPath& path, FieldErrors& errors) {
    bool orphan = false;
    bool foreground = false;
    for (const Text& finalizer : finalizers) {
        errors.add_problems(path, finalizer, is_qualified_name(finalizer));
        orphan |= finalizer == kOrphanFinalizer;
        foreground |= finalizer == kForegroundFinalizer;
    }
    if (orphan && foreground)
        errors.add_invalid(path, shown_json(finalizers), "finalizer orphan and foregroundDeletion cannot be both set");
}

void check_managed_fields(const List<meta::ManagedFieldsEntry>& entries, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const meta::ManagedFieldsEntry& entry = entries[i];
        const FieldPath at = path.index(i);
        if (!(entry.operation == "Apply") && !(entry.operation == "Update"))
            errors.add_invalid(at.child("operation"), entry.operation, "must be `Apply` or `Update`");
        if (!entry.fields_type.empty() && !(entry.fields_type == "FieldsV1"))
            errors.add_invalid(at.child("fieldsType"), entry.fields_type, "must be `FieldsV1`");
        if (entry.manager.size() > kFieldManagerMax) errors.add_too_long(at.child("manager"), kFieldManagerMax);
        if (entry.subresource.size() > kSubresourceMax) errors.add_too_long(at.child("subresource"), kSubresourceMax);
    }
}

void check_name(const meta::ObjectMeta& metadata, NameRule rule, const FieldPath& path, FieldErrors& errors) {
    if (!metadata.generate_name.empty())
        errors.add_problems(path.child("generateName"), metadata.generate_name,
                            name_prefix_problems(metadata.generate_name, rule));
    if (metadata.name.empty()) {
        errors.add_required(path.child("name"), "name or generateName is required");
    } else {
        errors.add_problems(path.child("name"), metadata.name, rule(metadata.name));
    }
}

void check_namespace(const Text& name, bool namespaced, const FieldPath& path, FieldErrors& errors) {
    if (!namespaced) {
        if (!name.empty()) errors.add_forbidden(path, "not allowed on this type");
    } else if (name.empty()) {
        errors.add_required(path, "");
    } else {
        errors.add_problems(path, name, is_dns1123_label(name));
    }
}

template <class T>
void check_unchanged(const T& now, const T& before, const FieldPath& path, FieldErrors& errors) {
    if (!(now == before)) errors.add_invalid(path, shown_json(now), kImmutableSentence);
}

void check_no_new_finalizers(const List<Text>& now, const List<Text>& before, const FieldPath& path,
                             FieldErrors& errors) {
    std::vector<std::string_view> known(before.begin(), before.end());
    std::sort(known.begin(), known.end());
    std::vector<std::string_view> added;
    for (const Text& finalizer : now)
        if (!std::binary_search(known.begin(), known.end(), finalizer.view())) added.push_back(finalizer);
    if (added.empty()) return;
    std::sort(added.begin(), added.end());
    std::string listed;
    for (std::string_view finalizer : added) listed.append(listed.empty() ? "" : ", ").append(in_quotes(finalizer));
    errors.add_forbidden(path,
                         "no new finalizers can be added if the object is being deleted, found new finalizers "
                         "[]string{" +
                             listed + "}");
}

}  // namespace

Problems name_prefix_problems(std::string_view prefix, NameRule rule) {
    if (prefix.size() > 1 && prefix.ends_with('-')) return rule(std::string(prefix.substr(0, prefix.size() - 2)) + "a");
    return rule(prefix);
}

void check_labels(const Map<Text>& labels, const FieldPath& path, FieldErrors& errors) {
    for (const auto& [key, value] : labels) {
        errors.add_problems(path, key, is_qualified_name(key));
        errors.add_problems(path, value, is_label_value(value));
    }
}

void check_annotations(const Map<Text>& annotations, const FieldPath& path, FieldErrors& errors) {
    std::size_t bytes = 0;
    for (const auto& [key, value] : annotations) {
        // The rule of labels' keys, but upper case is fine anywhere.
        errors.add_problems(path, key, is_qualified_name(lower(key)));
        bytes += key.size() + value.size();
    }
    if (bytes > kAnnotationBytesMax) errors.add_too_long(path, kAnnotationBytesMax);
}

namespace {

// One slash at most, and a version behind it.
bool is_group_version(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return true;
    const std::string_view version = text.substr(slash + 1);
    return !version.empty() && version.find('/') == std::string_view::npos;
}

void check_owner_reference(const meta::OwnerReference& owner, const FieldPath& path, FieldErrors& errors) {
    constexpr const char* kEmpty = "must not be empty";
    if (owner.api_version.empty())
        errors.add_required(path.child("apiVersion"), kEmpty);
    else if (!is_group_version(owner.api_version))
        errors.add_invalid(path.child("apiVersion"), owner.api_version, "must be <group>/<version> or <version>");
    if (owner.kind.empty()) errors.add_required(path.child("kind"), kEmpty);
    if (owner.name.empty()) errors.add_required(path.child("name"), kEmpty);
    if (owner.uid.empty()) errors.add_required(path.child("uid"), kEmpty);
    if (owner.api_version == "v1" && owner.kind == "Event")
        errors.add_invalid(path, shown_json(owner), "/v1, Kind=Event is disallowed from being an owner");
}

}  // namespace

void check_owner_references(const List<meta::OwnerReference>& owners, const FieldPath& path, FieldErrors& errors) {
    std::string controller;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (errors.is_full()) return;
        const meta::OwnerReference& owner = owners[i];
        check_owner_reference(owner, path.index(i), errors);
        if (!owner.controller.value_or(false)) continue;
        const std::string named = owner.kind.str() + "/" + owner.name.str();
        if (controller.empty()) {
            controller = named;
            continue;
        }
        std::string detail = "Only one reference can have Controller set to true. Found \"true\" in references for ";
        detail.append(controller).append(" and ").append(named);
        errors.add_invalid(path, shown_json(owners), detail);
    }
}

void check_finalizer_domains(const List<Text>& finalizers, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < finalizers.size(); ++i) {
        const Text& finalizer = finalizers[i];
        const bool standard =
            finalizer == "kubernetes" || finalizer == kOrphanFinalizer || finalizer == kForegroundFinalizer;
        if (!standard && finalizer.view().find('/') == std::string_view::npos)
            errors.add_invalid(path.index(i), finalizer,
                               "name is neither a standard finalizer name nor is it fully qualified");
    }
}

void check_metadata(const meta::ObjectMeta& metadata, bool namespaced, NameRule rule, const FieldPath& path,
                    FieldErrors& errors) {
    check_name(metadata, rule, path, errors);
    check_namespace(metadata.namespace_, namespaced, path.child("namespace"), errors);
    check_non_negative(path.child("generation"), metadata.generation, errors);
    check_labels(metadata.labels, path.child("labels"), errors);
    check_annotations(metadata.annotations, path.child("annotations"), errors);
    check_owner_references(metadata.owner_references, path.child("ownerReferences"), errors);
    check_finalizers(metadata.finalizers, path.child("finalizers"), errors);
    check_managed_fields(metadata.managed_fields, path.child("managedFields"), errors);
    check_finalizer_domains(metadata.finalizers, path.child("finalizers"), errors);
}

void check_metadata_update(const meta::ObjectMeta& now, const meta::ObjectMeta& before, const FieldPath& path,
                           FieldErrors& errors) {
    if (before.deletion_timestamp)
        check_no_new_finalizers(now.finalizers, before.finalizers, path.child("finalizers"), errors);
    if (now.resource_version.empty())
        errors.add_invalid(path.child("resourceVersion"), now.resource_version, "must be specified for an update");
    if (now.generation < before.generation)
        errors.add_invalid(path.child("generation"), now.generation, "must not be decremented");
    check_unchanged(now.name, before.name, path.child("name"), errors);
    check_unchanged(now.namespace_, before.namespace_, path.child("namespace"), errors);
    check_unchanged(now.uid, before.uid, path.child("uid"), errors);
    check_unchanged(now.creation_timestamp, before.creation_timestamp, path.child("creationTimestamp"), errors);
    check_unchanged(now.deletion_timestamp, before.deletion_timestamp, path.child("deletionTimestamp"), errors);
    check_unchanged(now.deletion_grace_period_seconds, before.deletion_grace_period_seconds,
                    path.child("deletionGracePeriodSeconds"), errors);
    check_labels(now.labels, path.child("labels"), errors);
    check_annotations(now.annotations, path.child("annotations"), errors);
    check_owner_references(now.owner_references, path.child("ownerReferences"), errors);
    check_managed_fields(now.managed_fields, path.child("managedFields"), errors);
    check_finalizer_domains(now.finalizers, path.child("finalizers"), errors);
}

void check_label_selector(const meta::LabelSelector& selector, const FieldPath& path, FieldErrors& errors) {
    check_labels(selector.match_labels, path.child("matchLabels"), errors);
    for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
        const meta::LabelSelectorRequirement& demand = selector.match_expressions[i];
        const FieldPath at = path.child("matchExpressions").index(i);
        if (demand.operator_ == "In" || demand.operator_ == "NotIn") {
            if (demand.values.empty())
                errors.add_required(at.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
        } else if (demand.operator_ == "Exists" || demand.operator_ == "DoesNotExist") {
            if (!demand.values.empty())
                errors.add_forbidden(at.child("values"),
                                     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        } else {
            errors.add_invalid(at.child("operator"), demand.operator_, "not a valid selector operator");
        }
        errors.add_problems(at.child("key"), demand.key, is_qualified_name(demand.key));
        for (std::size_t v = 0; v < demand.values.size(); ++v)
            errors.add_problems(at.child("values").index(v), demand.values[v], is_label_value(demand.values[v]));
    }
}

}  // namespace muster::api
