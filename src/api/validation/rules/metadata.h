// The rules for what every object carries: name, namespace, labels, annotations, owners, finalizers; and what of it an
// update may not touch. Kinds differ only in whether they live in a namespace and in what they may be called.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// One of names.h: is_dns1123_subdomain, is_dns1123_label, …
using NameRule = Problems (*)(std::string_view name);

inline const FieldPath kMetadata("metadata");
inline constexpr std::size_t kAnnotationBytesMax = 256u << 10;  // keys and values together

// On create, after a generated name has been filled in. `path` is metadata, or spec.template.metadata and so on.
void check_metadata(const meta::ObjectMeta& metadata, bool namespaced, NameRule rule, const FieldPath& path,
                    FieldErrors& errors);

// On update, for all kinds (rules/kind_rules.cc): a kind's own rules look at the rest, and only when this finds
// nothing.
void check_metadata_update(const meta::ObjectMeta& now, const meta::ObjectMeta& before, const FieldPath& path,
                           FieldErrors& errors);

void check_labels(const Map<Text>& labels, const FieldPath& path, FieldErrors& errors);
void check_annotations(const Map<Text>& annotations, const FieldPath& path, FieldErrors& errors);
void check_owner_references(const List<meta::OwnerReference>& owners, const FieldPath& path, FieldErrors& errors);
void check_label_selector(const meta::LabelSelector& selector, const FieldPath& path, FieldErrors& errors);

// Standard finalizers aside, a finalizer has a domain: example.com/name. Part of both checks above; a template's
// finalizers go through it too.
void check_finalizer_domains(const List<Text>& finalizers, const FieldPath& path, FieldErrors& errors);

// A prefix of names is fine when a name made from it can be: a dash at its end is.
Problems name_prefix_problems(std::string_view prefix, NameRule rule);

}  // namespace muster::api
