// The view of the machine that a container's process gets: its volumes, its root, its host name, its user and rights,
// as steps that the process carries out before its program runs. Pure. A container that asks for none of it gets no
// steps.
//
// A mount point that is not there is not made on the machine: the directory that lacks it appears to the process as one
// in memory, in which what the machine has there is mounted again beside it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "node/environment/env.h"
#include "node/identity/pod_user.h"
#include "node/volumes/volume_places.h"
#include "os/process/mount_points.h"
#include "os/process/process_setup.h"

namespace muster::node {

// Files of the machine that a container sees elsewhere, beside its volumes.
struct ExtraMount {
    std::string source{};
    std::string path{};
    bool read_only = true;
};

struct SandboxFacts {
    os::NamespaceAccess access = os::NamespaceAccess::kFree;
    std::int64_t user = 0;                           // of processes whose pod asks for no other
    std::int64_t group = 0;                          //
    std::int64_t primary_group = 0;                  // of the user that the container runs as
    std::vector<std::uint32_t> image_groups{};       // of that user in a rootfs: image
    std::map<std::string, os::MountPoint> points{};  // by mounted_paths()
    std::string image_root{};                        // of a rootfs: image
    std::string directory{};                         // the node's own
    std::optional<PodUser> pod_user{};               // the user of processes, when it is not the server's
};

struct SandboxView {
    const api::core::Pod& pod;
    const api::core::Container& container;
    const VolumePlaces& volumes;
    const std::vector<ExtraMount>& extra;
    const Environment& environment;  // for subPathExpr
    const SandboxFacts& facts;
    std::string stage;  // a directory of the container's own, in which others are made
};

struct Sandbox {
    os::SetupSteps steps{};
    std::vector<std::string> directories{};  // to be made before the process starts
};

// kInvalid with the sentence for CreateContainerConfigError.
Result<Sandbox> make_sandbox(const SandboxView& view);

// Which paths of the machine have to be looked at first.
std::vector<std::string> mounted_paths(const api::core::Container& container, const std::vector<ExtraMount>& extra);
// Whether a volume of the container is mounted at the path, above it or below it.
bool covers_path(const api::core::Container& container, const std::string& path);
bool needs_mounts(const api::core::Container& container, const std::vector<ExtraMount>& extra);
// Whether the pod asks for a host name of its own.
bool needs_host_name(const api::core::Pod& pod);
// What the kernel is told, and what HOSTNAME says: at most 63 characters, more when the whole name is asked for.
std::string pod_host_name(const api::core::Pod& pod);
// "rootfs:/path" names a root file system; empty for every other image.
std::string rootfs_path(const api::core::Container& container);

}  // namespace muster::node
