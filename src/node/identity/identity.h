// The user, groups and rights of a container's process, from its securityContext and its pod's, as setup steps. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "os/process/process_setup.h"

namespace muster::node {

struct IdentityFacts {
    std::int64_t user = 0;                      // ours: root may become any user
    std::int64_t primary_group = 0;             // of the user that the container asks for
    std::vector<std::uint32_t> image_groups{};  // of that user in the image
};

// The user that the container asks for, or its pod.
std::optional<std::int64_t> wanted_user(const api::core::Pod& pod, const api::core::Container& container);

// What check_supported() has let pass.
os::SetupSteps identity_steps(const api::core::Pod& pod, const api::core::Container& container,
                              const IdentityFacts& facts);

// The bits of the capabilities that are left. kInvalid for a name that is none.
Result<std::uint64_t> kept_capabilities(const api::core::Capabilities& capabilities);

}  // namespace muster::node
