// The files of volumes that the node writes: configMap, secret, downwardAPI and projected. Pure: the objects that are
// referred to are handed in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "node/environment/downward.h"
#include "node/environment/env.h"
#include "os/files/payload.h"

namespace muster::node {

// Whether the node writes the volume's files.
bool is_written_volume(const api::core::Volume& volume);
// What has to be looked up before make_volume_files() can say anything.
References volume_references(const api::core::Volume& volume);
// The user that all of a pod's containers run as, if they say so.
std::optional<std::int64_t> common_user(const api::core::Pod& pod);
std::optional<std::int64_t> fs_group(const api::core::Pod& pod);

struct VolumeView {
    const api::core::Pod& pod;
    const NodeFacts& facts;
    const Text& pod_ip;
    const Referred& referred;
    std::function<Result<std::string>(const api::core::ServiceAccountTokenProjection& projection)> token;
    bool may_give = false;                      // files can be given to other users and groups
    std::optional<os::DirectoryOwner> owner{};  // whose files they are, when they are not ours
};
// Fails with kNotFound or kBadRequest and the sentence that a kubelet puts behind "MountVolume.SetUp failed".
Result<std::vector<os::PayloadFile>> make_volume_files(const api::core::Volume& volume, const VolumeView& view);

}  // namespace muster::node
