// From a container that is to start to the request that its runtime gets: what it refers to is looked up, its
// environment, command and the setup of its process are made. One Task per start; what is refused, or is not there yet,
// is an error whose sentence its pod shows.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "client/client.h"
#include "node/environment/env.h"
#include "node/network/pod_network.h"
#include "node/runtime/pod_runtime.h"
#include "node/runtime/runs.h"
#include "node/sandbox/image_roots.h"
#include "node/sandbox/sandbox.h"
#include "node/volumes/volumes.h"
#include "os/process/cgroups.h"

namespace muster::node {

struct PreparationOptions {
    std::string directory{};                      // where logs go
    Environment base_environment{};               // what every container has: PATH
    std::int64_t user_id = 0;                     // the server's
    std::optional<PodUser> pod_user{};            // the user of processes, when it is not the server's
    PodNetwork* network = nullptr;                // what a pod finds of the API and its peers; may be null
    ApiPoint api{};                               // who makes tokens
    os::Processes* processes = nullptr;           // for unpacking; may be null
    os::Worker* worker = nullptr;                 // for what takes long on disk; may be null
    std::optional<os::NamespaceAccess> access{};  // what the kernel gives; asked when it is not said
    // The account's token of a machine that is itself a pod, which its pods must not see.
    std::string machine_token = "/var/run/secrets/kubernetes.io/serviceaccount";
    // Where groups with limits can be made, and why not.
    std::function<Result<os::Cgroups::Place>()> find_groups = os::Cgroups::find_place;
    // Reports a warning event about the pod.
    std::function<void(const api::core::Pod& pod, const char* reason, std::string message)> warn{};
};

class Preparation {
public:
    using PodRef = client::Ref<api::core::Pod>;

    // Both must outlive it, and it its Tasks.
    Preparation(os::Loop& loop, client::Client& client, PreparationOptions options);

    os::Task<std::variant<RunRequest, Obstacle>> prepare(ContainerStart start);

    // The pod runs; its volumes follow their sources though another process made them.
    void adopt(const PodRef& pod, const NodeFacts& facts, const Text& pod_ip) {
        if (!pod->spec.volumes.empty()) volumes_.adopt(pod, facts, pod_ip);
    }
    // The pod is gone.
    void forget(const Text& pod_uid);

private:
    // What an error is about is left in `kind`.
    os::Task<Result<RunRequest>> make_request(ContainerStart start, Obstacle::Kind* kind);
    struct Surroundings {
        const Environment* environment = nullptr;
        HostsFile hosts{};
        std::string image_root{};  // empty: the machine's
    };
    // The container's view of the machine, and what that needs on disk.
    os::Task<Result<os::SetupSteps>> lay_out(ContainerStart start, const Surroundings* around, Obstacle::Kind* kind);
    // As os::look_at_mount_point(); those on which nearly every container has something mounted, /etc/hosts and the
    // machine's token, are remembered for a moment.
    Result<os::MountPoint> look_at(const std::string& path);
    // What containers see in place of the machine's token.
    Result<std::string> empty_directory();
    // The user's, in the file system that the container sees.
    std::string home_of(const api::core::Pod& pod, const api::core::Container& container, const std::string& root);

    // The user and group of processes whose pod asks for no other.
    std::int64_t process_user() const { return options_.pod_user ? options_.pod_user->user : options_.user_id; }
    std::int64_t process_group() const { return options_.pod_user ? options_.pod_user->group : facts_.group; }

    void warn_of_limits(const api::core::Pod& pod);

    struct KnownHome {
        std::string path{};
        Duration read_at{};
    };

    os::Loop& loop_;
    client::Client& client_;
    const PreparationOptions options_;
    const os::ExecLimits limits_ = os::exec_limits();
    SandboxFacts facts_;
    bool hides_machine_token_ = false;
    Volumes volumes_;
    ImageRoots images_;
    std::set<Text> warned_;  // pods
    bool limits_asked_ = false;
    std::map<std::int64_t, KnownHome> homes_;  // on the machine, by user
    struct KnownPoint {
        os::MountPoint point{};
        Duration looked_at{};
    };
    std::map<std::string, KnownPoint> known_points_;  // by path; two at most
    std::optional<Duration> empty_made_at_;
};

}  // namespace muster::node
