#include "node/volumes/volumes.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "node/environment/look_up.h"
#include "node/runtime/node_paths.h"
#include "os/files/payload.h"
#include "os/loop/guard.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;
using api::core::Volume;

constexpr Duration kRefreshPeriod = 10s;
constexpr std::uint32_t kEmptyDirMode = 0777;
constexpr std::uint32_t kWrittenMode = 0755;

Error set_up_failed(const Volume& volume, const std::string& why) {
    return {Code::kUnavailable, "MountVolume.SetUp failed for volume \"" + volume.name.str() + "\" : " + why};
}

// Nothing: the server's user.
std::optional<os::DirectoryOwner> owner_of_volumes(const std::optional<PodUser>& user) {
    if (!user || !user->becomes) return {};
    return os::DirectoryOwner{user->user, user->group};
}

Result<void> check_host_path(const api::core::HostPathVolumeSource& source, const std::optional<PodUser>& user) {
    const std::string path = source.path.str();
    const std::string type = source.type ? source.type->str() : "";
    if (type.empty()) return {};
    const Result<std::string> kind = os::kind_of_file(path);
    const bool there = kind.ok();
    if (!there && user && type.ends_with("OrCreate"))
        return Error{Code::kInvalid, "hostPath " + path +
                                         " does not exist, and this node makes nothing on the machine "
                                         "for pods, which run as " +
                                         user->name};
    if (!there && type == "DirectoryOrCreate") return os::create_host_directory(path);
    if (!there && type == "FileOrCreate") return os::create_host_file(path);
    const auto expect = [&](const char* wanted) -> Result<void> {
        if (there && *kind == wanted) return {};
        return Error{Code::kInvalid, "hostPath type check failed: " + path + " is not a " + wanted};
    };
    if (type == "Directory" || type == "DirectoryOrCreate") return expect("directory");
    if (type == "File" || type == "FileOrCreate") return expect("file");
    if (type == "Socket") return expect("socket");
    if (type == "CharDevice") return expect("character device");
    return expect("block device");
}

}  // namespace

bool is_mounted(const Pod& pod, const Text& volume) {
    for (const List<Container>* list : {&pod.spec.containers, &pod.spec.init_containers})
        for (const Container& container : *list)
            for (const auto& mount : container.volume_mounts)
                if (mount.name == volume) return true;
    return false;
}

Volumes::Volumes(os::Loop& loop, client::Client& client, os::Worker* worker, std::string directory, bool as_root,
                 std::optional<PodUser> pod_user, IssueToken issue_token)
    : loop_(loop),
      client_(client),
      worker_(worker),
      directory_(std::move(directory)),
      as_root_(as_root),
      pod_user_(std::move(pod_user)),
      owner_(owner_of_volumes(pod_user_)),
      issue_token_(std::move(issue_token)),
      versions_(static_cast<std::uint64_t>(loop.now().since_epoch().count())),
      written_(loop),
      tasks_(loop) {}

std::string Volumes::path_of(const Text& pod_uid, const Text& volume) const {
    return pod_directory(directory_, pod_uid) + "/volumes/" + volume.str();
}

os::Task<Result<VolumePlaces>> Volumes::make(PodRef pod, NodeFacts facts, Text pod_ip) {
    VolumePlaces places;
    MadeRef made;
    const auto known = made_.find(pod->metadata.uid);
    if (known != made_.end() && known->second) made = known->second;
    if (!made) {
        made = std::make_shared<Made>();
        made->name = client::name_of(*pod);
        made->facts = std::move(facts);
        made->pod_ip = std::move(pod_ip);
    }
    for (const Volume& volume : pod->spec.volumes) {
        if (!is_mounted(*pod, volume.name)) continue;
        const Result<void> done = co_await make_one(pod, &volume, made, &places);
        if (!done.ok()) co_return set_up_failed(volume, done.error().message);
    }
    if (!made->contents.empty()) {
        made_[pod->metadata.uid] = made;
        if (!std::exchange(keeping_, true)) tasks_.spawn(keep_current());
    }
    co_return places;
}

void Volumes::adopt(const PodRef& pod, const NodeFacts& facts, const Text& pod_ip) {
    const bool written = std::any_of(pod->spec.volumes.begin(), pod->spec.volumes.end(), [&](const Volume& volume) {
        return is_written_volume(volume) && is_mounted(*pod, volume.name);
    });
    if (!written || made_.contains(pod->metadata.uid)) return;
    made_[pod->metadata.uid] = nullptr;  // under way
    tasks_.spawn(os::apart(make_again(pod, facts, pod_ip), "the volumes of pod " + pod->metadata.uid.str()));
}

os::Task<void> Volumes::make_again(PodRef pod, NodeFacts facts, Text pod_ip) {
    const Text uid = pod->metadata.uid;
    const Result<VolumePlaces> made = co_await make(pod, facts, pod_ip);
    // What cannot be had now stays as it is until the server begins again.
    const auto known = made_.find(uid);
    if (!made.ok() && known != made_.end() && !known->second) made_.erase(known);
}

os::Task<Result<void>> Volumes::make_one(PodRef pod, const Volume* volume, MadeRef made, VolumePlaces* places) {
    VolumePlace& place = (*places)[volume->name];
    const auto& source = volume->source;
    place.path = path_of(pod->metadata.uid, volume->name);
    if (source.host_path) {
        place.path = source.host_path->path.str();
        place.of_machine = true;
        co_return check_host_path(*source.host_path, pod_user_);
    }
    if (source.empty_dir) co_return make_empty_dir(*pod, *source.empty_dir, place);
    if (!is_written_volume(*volume))
        co_return Error{Code::kInvalid,
                        "this node has emptyDir, hostPath, configMap, secret, downwardAPI and projected volumes, and "
                        "this is another"};
    place.written = true;
    // What is written once stays current by itself.
    if (made->contents.contains(volume->name)) co_return Result<void>();
    CO_TRY(os::make_volume_directory(place.path, kWrittenMode, {}));
    co_return co_await write(pod, volume, made, place.path);
}

Result<void> Volumes::make_empty_dir(const Pod& pod, const api::core::EmptyDirVolumeSource& source,
                                     VolumePlace& place) {
    const auto group = as_root_ ? fs_group(pod) : std::nullopt;
    if (source.medium.view().starts_with("HugePages"))
        return Error{Code::kInvalid, "emptyDir of huge pages is not supported on this node"};
    if (!(source.medium == "Memory")) return os::make_volume_directory(place.path, kEmptyDirMode, group, owner_);
    if (!as_root_) {
        // An ordinary user cannot mount what outlives its process; this memory is the user's, without a limit.
        place.path = shared_memory_directory(pod.metadata.uid) + place.path.substr(place.path.rfind('/'));
        return os::make_volume_directory(place.path, kEmptyDirMode, {});
    }
    TRY(os::make_volume_directory(place.path, kEmptyDirMode, group, owner_));
    const std::int64_t limit = source.size_limit ? source.size_limit->value() : 0;
    return os::mount_memory(place.path, static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 0)), kEmptyDirMode,
                            group, owner_);
}

os::Task<Result<void>> Volumes::write(PodRef pod, const Volume* volume, MadeRef made, std::string path) {
    CO_TRY_ASSIGN(const Referred referred,
                  co_await look_up(client_, pod->metadata.namespace_, volume_references(*volume)));
    VolumeView view{*pod, made->facts, made->pod_ip, referred, {}, as_root_, owner_};
    if (issue_token_)
        view.token = [&](const api::core::ServiceAccountTokenProjection& projection) {
            return token_of(*pod, volume->name, *made, projection);
        };
    CO_TRY_ASSIGN(std::vector<os::PayloadFile> made_files, make_volume_files(*volume, view));
    const auto files = std::make_shared<const std::vector<os::PayloadFile>>(std::move(made_files));
    const auto written = made->contents.find(volume->name);
    if (written != made->contents.end() && *written->second == *files) co_return Result<void>();
    CO_TRY(co_await write_files(path, files));
    made->contents[volume->name] = files;
    co_return Result<void>();
}

// Says that files are being written there, for as long as it lives.
class Volumes::WritingMark {
public:
    WritingMark(Volumes& volumes, std::string path) : volumes_(volumes), path_(std::move(path)) {
        volumes_.writing_.insert(path_);
    }
    ~WritingMark() {
        volumes_.writing_.erase(path_);
        volumes_.written_.notify();
    }
    WritingMark(const WritingMark&) = delete;
    WritingMark& operator=(const WritingMark&) = delete;

private:
    Volumes& volumes_;
    const std::string path_;
};

// One at a time into one directory.
os::Task<Result<void>> Volumes::write_files(std::string path, FilesRef files) {
    while (writing_.contains(path)) co_await written_.wait();
    const std::uint64_t version = ++versions_;
    if (!worker_) co_return os::write_payload(path, *files, version);
    const WritingMark mark(*this, path);
    auto work = [path, files, version] { return os::write_payload(path, *files, version); };
    co_return co_await os::offload(loop_, *worker_, std::move(work));
}

Result<std::string> Volumes::token_of(const Pod& pod, const Text& volume, Made& made,
                                      const api::core::ServiceAccountTokenProjection& projection) {
    KeptToken& kept = made.tokens[{volume, projection.path}];
    if (kept.issued.token.empty() || loop_.now() >= kept.renew_at) {
        TRY_ASSIGN(kept.issued, issue_token_(pod, projection));
        // Renewed when a fifth of its life is left, for processes that read the file late.
        kept.renew_at = loop_.now() + (kept.issued.expires_at - loop_.now()) / 5 * 4;
    }
    return kept.issued.token;
}

os::Task<void> Volumes::keep_current() {
    for (;;) {
        co_await os::sleep_for(loop_, kRefreshPeriod);
        const std::map<Text, MadeRef> all = made_;
        for (const auto& [uid, made] : all)
            if (made) co_await os::apart(refresh(made, uid), "the volumes of pod " + uid.str());
    }
}

os::Task<void> Volumes::refresh(MadeRef made, Text pod_uid) {
    const Result<PodRef> pod = co_await client_.get<Pod>(made->name);
    if (!pod.ok() || !((*pod)->metadata.uid == pod_uid) || api::core::has_ended(**pod)) co_return;
    for (const Volume& volume : (*pod)->spec.volumes) {
        if (!made->contents.contains(volume.name)) continue;
        // What cannot be had now stays as it was, as with a kubelet.
        const Result<void> written = co_await write(*pod, &volume, made, path_of(pod_uid, volume.name));
        (void)written.ok();
        if (!made_.contains(pod_uid)) co_return;
    }
}

}  // namespace muster::node
