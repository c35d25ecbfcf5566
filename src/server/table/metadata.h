// An object of any kind reduced to its metadata: what garbage collectors and metadata-only caches ask for, and what a
// table's rows carry.
#pragma once

#include <span>
#include <string>

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"

namespace muster::server {

// The metadata of an object of that kind. CHECKs that the kind has some.
const api::meta::ObjectMeta& metadata_of(const api::KindInfo& kind, const void* object);

// PartialObjectMetadata of meta.k8s.io/v1, or v1beta1 when `beta`.
void append_partial_json(const api::meta::ObjectMeta& metadata, bool beta, std::string& out);
// With Kubernetes' envelope.
void append_partial_protobuf(const api::meta::ObjectMeta& metadata, bool beta, std::string& out);

// PartialObjectMetadataList.
void append_partial_list_json(const api::meta::ListMeta& list, std::span<const api::meta::ObjectMeta* const> items,
                              bool beta, std::string& out);
void append_partial_list_protobuf(const api::meta::ListMeta& list, std::span<const api::meta::ObjectMeta* const> items,
                                  bool beta, std::string& out);

}  // namespace muster::server
