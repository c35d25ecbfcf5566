// Where the core kinds live: the group without a name, whose objects say only `apiVersion: v1`.
// TYPE and KIND look these three up in the namespace they stand in.
#pragma once

namespace muster::api::core {

inline constexpr const char* kPackage = "io.k8s.api.core.v1";
inline constexpr const char* kGroup = "";
inline constexpr const char* kVersion = "v1";

}  // namespace muster::api::core
