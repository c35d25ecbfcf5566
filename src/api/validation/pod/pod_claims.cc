// Rules of the volume claim that a pod carries in itself.
#include "api/schema/walk.h"
#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

constexpr std::string_view kAccessModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"};

// Labels and annotations are all that a claim made from a template takes from it.
void check_only_labels_and_annotations(const meta::ObjectMeta& metadata, const FieldPath& path, FieldErrors& errors) {
    meta::ObjectMeta rest = metadata;
    rest.labels.reset();
    rest.annotations.reset();
    check_annotations(metadata.annotations, path.child("annotations"), errors);
    check_labels(metadata.labels, path.child("labels"), errors);
    for (const FieldInfo& field : meta::ObjectMeta::info().fields) {
        const char* value = reinterpret_cast<const char*>(&rest) + field.offset;
        if (!is_zero(*field.value, value)) errors.add_forbidden(path.child(field.json), "cannot be set");
    }
}

void check_access_modes(const List<Text>& modes, const FieldPath& path, FieldErrors& errors) {
    bool once_pod = false;
    bool other = false;
    for (const Text& mode : modes) {
        const bool known = is_one_of(mode, {kAccessModes[0], kAccessModes[1], kAccessModes[2], kAccessModes[3]});
        if (!known) errors.add_not_supported(path, mode, kAccessModes);
        once_pod |= mode == "ReadWriteOncePod";
        other |= known && !(mode == "ReadWriteOncePod");
    }
    if (once_pod && other) errors.add_forbidden(path, "may not use ReadWriteOncePod with other access modes");
}

template <class Reference>
void check_data_source(const Reference& source, const FieldPath& path, FieldErrors& errors) {
    if (source.name.empty()) errors.add_required(path.child("name"), "");
    if (source.kind.empty()) errors.add_required(path.child("kind"), "");
    const Text group = source.api_group.value_or(Text());
    if (group.empty() && !(source.kind == "PersistentVolumeClaim"))
        errors.add_invalid(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    if (!group.empty()) errors.add_problems(path.child("apiGroup"), group, is_dns1123_subdomain(group));
}

void check_class_name(const std::optional<Text>& name, const FieldPath& path, FieldErrors& errors) {
    if (name && !name->empty()) errors.add_problems(path, *name, is_dns1123_subdomain(*name));
}

void check_data_sources(const core::PersistentVolumeClaimSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (spec.data_source) check_data_source(*spec.data_source, path.child("dataSource"), errors);
    if (!spec.data_source_ref) return;
    const core::TypedObjectReference& reference = *spec.data_source_ref;
    check_data_source(reference, path.child("dataSourceRef"), errors);
    const Text elsewhere = reference.namespace_.value_or(Text());
    if (!elsewhere.empty())
        errors.add_problems(path.child("dataSourceRef", "namespace"), elsewhere, is_dns1123_label(elsewhere));
    if (!spec.data_source) return;
    const Shown shown = path.child("dataSource").str();
    if (!elsewhere.empty()) {
        errors.add_invalid(path, shown, "may not be specified when dataSourceRef.namespace is specified");
    } else if (!(spec.data_source->name == reference.name) || !(spec.data_source->kind == reference.kind) ||
               spec.data_source->api_group != reference.api_group) {
        errors.add_invalid(path, shown, "must match dataSourceRef");
    }
}

}  // namespace

void check_claim_template(const core::PersistentVolumeClaimTemplate& claim, const FieldPath& path,
                          FieldErrors& errors) {
    check_only_labels_and_annotations(claim.metadata, path.child("metadata"), errors);
    const core::PersistentVolumeClaimSpec& spec = claim.spec;
    const FieldPath at = path.child("spec");
    if (spec.access_modes.empty()) errors.add_required(at.child("accessModes"), "at least 1 access mode is required");
    if (spec.selector) check_label_selector(*spec.selector, at.child("selector"), errors);
    check_access_modes(spec.access_modes, at.child("accessModes"), errors);
    const FieldPath storage_path = at.child("resources").key("storage");
    if (const Quantity* storage = spec.resources.requests.find("storage")) {
        check_positive_storage(*storage, storage_path, errors);
    } else {
        errors.add_required(storage_path, "");
    }
    check_class_name(spec.storage_class_name, at.child("storageClassName"), errors);
    if (spec.volume_mode && !is_one_of(*spec.volume_mode, {"Block", "Filesystem"}))
        errors.add_not_supported(at.child("volumeMode"), *spec.volume_mode, {"Block", "Filesystem"});
    check_data_sources(spec, at, errors);
    check_class_name(spec.volume_attributes_class_name, at.child("volumeAttributesClassName"), errors);
}

}  // namespace muster::api
