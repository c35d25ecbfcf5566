// Names that all Kueue kinds share. Upstream they are custom resources and have no protobuf form, so the field numbers
// in this folder are ours: stored records use them, clients never see them. A number is never given a second meaning.
#pragma once

namespace muster::api::kueue {

inline constexpr const char* kPackage = "io.x-k8s.kueue.v1beta2";
inline constexpr const char* kGroup = "kueue.x-k8s.io";
inline constexpr const char* kVersion = "v1beta2";

}  // namespace muster::api::kueue
