// The volumes of the pods that run here, on disk: made before the first container starts, those that the node writes
// kept as their sources are, and gone with the pod's directory.
//
//     <directory>/pods/<uid>/volumes/<name>
//
// What this process remembers of them it can forget: making a volume that is there already leaves it as it is.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/instant.h"
#include "client/client.h"
#include "node/identity/pod_user.h"
#include "node/volumes/volume_files.h"
#include "node/volumes/volume_places.h"

namespace muster::node {

struct IssuedToken {
    std::string token{};
    Instant expires_at{};
};
using IssueToken = std::function<Result<IssuedToken>(const api::core::Pod& pod,
                                                     const api::core::ServiceAccountTokenProjection& projection)>;

class Volumes {
public:
    using PodRef = client::Ref<api::core::Pod>;

    // All must outlive it. As root, memory has limits and files can be given to others; `pod_user`, when there is one,
    // gets what a server that is root makes. Files are written on the worker, since a volume may have very many;
    // without one, at once.
    Volumes(os::Loop& loop, client::Client& client, os::Worker* worker, std::string directory, bool as_root,
            std::optional<PodUser> pod_user, IssueToken issue_token);

    // Those that the pod's containers mount, made. kUnavailable, with the text of a FailedMount event, when one cannot
    // be made now.
    os::Task<Result<VolumePlaces>> make(PodRef pod, NodeFacts facts, Text pod_ip);
    // A pod runs that another process started: its volumes are kept current from here on.
    void adopt(const PodRef& pod, const NodeFacts& facts, const Text& pod_ip);
    // The pod is gone, and its directory soon will be.
    void forget(const Text& pod_uid) { made_.erase(pod_uid); }

private:
    class WritingMark;
    using FilesRef = std::shared_ptr<const std::vector<os::PayloadFile>>;
    struct KeptToken {
        IssuedToken issued{};
        Instant renew_at{};
    };
    struct Made {
        client::ObjectName name{};
        NodeFacts facts{};
        Text pod_ip{};
        std::map<Text, FilesRef> contents{};                  // by volume, as they were written last
        std::map<std::pair<Text, Text>, KeptToken> tokens{};  // by volume and path
    };
    using MadeRef = std::shared_ptr<Made>;

    os::Task<Result<void>> make_one(PodRef pod, const api::core::Volume* volume, MadeRef made, VolumePlaces* places);
    Result<void> make_empty_dir(const api::core::Pod& pod, const api::core::EmptyDirVolumeSource& source,
                                VolumePlace& place);
    os::Task<Result<void>> write(PodRef pod, const api::core::Volume* volume, MadeRef made, std::string path);
    os::Task<Result<void>> write_files(std::string path, FilesRef files);
    Result<std::string> token_of(const api::core::Pod& pod, const Text& volume, Made& made,
                                 const api::core::ServiceAccountTokenProjection& projection);
    os::Task<void> make_again(PodRef pod, NodeFacts facts, Text pod_ip);
    os::Task<void> keep_current();
    os::Task<void> refresh(MadeRef made, Text pod_uid);
    std::string path_of(const Text& pod_uid, const Text& volume) const;

    os::Loop& loop_;
    client::Client& client_;
    os::Worker* const worker_;
    const std::string directory_;
    const bool as_root_;
    const std::optional<PodUser> pod_user_;
    const std::optional<os::DirectoryOwner> owner_;  // of what is made, when it is not us
    const IssueToken issue_token_;
    std::map<Text, MadeRef> made_;  // of pods with volumes that the node writes
    std::uint64_t versions_ = 0;
    bool keeping_ = false;
    std::set<std::string> writing_;  // volumes, by path
    os::Event written_;
    os::TaskScope tasks_;
};

// Whether a container of the pod mounts the volume.
bool is_mounted(const api::core::Pod& pod, const Text& volume);

}  // namespace muster::node
