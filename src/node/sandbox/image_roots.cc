#include "node/sandbox/image_roots.h"

#include <set>
#include <vector>

#include "node/runtime/node_paths.h"
#include "os/files/files.h"
#include "os/files/payload.h"
#include "os/process/device_nodes.h"

namespace muster::node {
namespace {

constexpr const char* kTar = "/bin/tar";
constexpr std::uint32_t kRootMode = 0755;
constexpr std::uint32_t kUseMode = 0700;
constexpr const char* kPartial = ".partial";
constexpr const char* kGone = ".gone";

Error no_image(const std::string& path, const std::string& why) {
    return {Code::kInvalid, "image \"rootfs:" + path + "\" cannot be used: " + why};
}

struct FoundImages {
    std::vector<std::string> names{};
    std::set<std::string> used{};
};

FoundImages find_images(const std::string& directory) {
    os::LinuxFiles files;
    FoundImages found;
    if (auto names = files.list(directory + "/images"); names.ok()) found.names = std::move(*names);
    if (found.names.empty()) return found;
    const auto pods = files.list(directory + "/pods");
    if (!pods.ok()) return found;
    for (const std::string& uid : *pods)
        if (const auto used = files.list(pod_directory(directory, uid) + "/images"); used.ok())
            found.used.insert(used->begin(), used->end());
    return found;
}

}  // namespace

ImageRoots::ImageRoots(os::Loop& loop, os::Processes* processes, os::Worker* worker, std::string directory,
                       std::optional<PodUser> pod_user)
    : loop_(loop),
      processes_(processes),
      worker_(worker),
      directory_(std::move(directory)),
      pod_user_(std::move(pod_user)),
      tasks_(loop) {
    if (worker_) tasks_.spawn(keep_sweeping());
}

os::Task<void> ImageRoots::keep_sweeping() {
    for (;;) {
        co_await os::sleep_for(loop_, kSweepPeriod);
        co_await sweep();
    }
}

os::Task<void> ImageRoots::sweep() {
    const Duration looked_at = loop_.uptime();
    auto look = [directory = directory_] { return find_images(directory); };
    const FoundImages found = co_await os::offload(loop_, *worker_, std::move(look));
    std::vector<std::string> leaving;
    for (const std::string& name : found.names) {
        const std::string path = directory_ + "/images/" + name;
        if (name.ends_with(kPartial)) {
            const std::string root = path.substr(0, path.size() - std::string_view(kPartial).size());
            // Renamed first, so that no image is unpacked into it meanwhile.
            if (!unpacking_.contains(root) && os::rename_file(path, path + kGone).ok()) leaving.push_back(path + kGone);
        } else if (name.ends_with(kGone)) {
            leaving.push_back(path);
        } else if (is_due(name, found.used.contains(name), looked_at) && os::rename_file(path, path + kGone).ok()) {
            leaving.push_back(path + kGone);
        }
    }
    if (leaving.empty()) co_return;
    auto remove = [leaving] {
        bool all = true;
        for (const std::string& path : leaving) all = os::LinuxFiles().remove(path).ok() && all;
        return all;
    };
    // What does not go is tried again with the next sweep.
    (void)co_await os::offload(loop_, *worker_, std::move(remove));
}

// `used`: a pod used it when it was looked at.
bool ImageRoots::is_due(const std::string& name, bool used, Duration looked_at) {
    const auto given = given_.find(name);
    if (used || (given != given_.end() && given->second >= looked_at)) {
        unused_since_.erase(name);
        return false;
    }
    const Duration since = unused_since_.try_emplace(name, looked_at).first->second;
    if (looked_at - since < kKeepUnused) return false;
    unused_since_.erase(name);
    given_.erase(name);
    return true;
}

os::Task<Result<std::string>> ImageRoots::root_of(std::string path, Text pod_uid) {
    if (!path.starts_with('/')) co_return no_image(path, "its path is not absolute");
    if (pod_user_ && is_hidden(*pod_user_, path)) co_return no_image(path, "it is a file of the server");
    const Result<std::string> kind = os::kind_of_file(path);
    if (!kind.ok()) co_return no_image(path, kind.error().message);
    if (*kind == "directory") co_return path;
    if (*kind != "file") co_return no_image(path, "it is neither a directory nor a tar file");
    const Result<std::string> stamp = os::file_stamp(path);
    if (!stamp.ok()) co_return no_image(path, stamp.error().message);
    // What another user could read may be closed to this one.
    const std::string name = pod_user_ ? *stamp + "-of-" + std::to_string(pod_user_->user) : *stamp;
    const std::string root = directory_ + "/images/" + name;
    for (auto busy = unpacking_.find(root); busy != unpacking_.end(); busy = unpacking_.find(root)) {
        const std::shared_ptr<os::Event> done = busy->second;
        co_await done->wait();
    }
    // From here on the root stays, whether it is there or comes.
    CO_TRY(os::make_volume_directory(pod_directory(directory_, pod_uid) + "/images/" + name, kUseMode, {}));
    given_[name] = loop_.uptime();
    if (os::kind_of_file(root).ok()) co_return root;
    const auto done = std::make_shared<os::Event>(loop_);
    unpacking_[root] = done;
    Result<std::string> result = co_await unpack(path, root);
    unpacking_.erase(root);
    done->notify();
    co_return result;
}

// Under another name first, so that what is there under its own is whole.
os::Task<Result<std::string>> ImageRoots::unpack(std::string path, std::string root) {
    if (!processes_) co_return no_image(path, "this node cannot unpack tar files");
    const std::string partial = root + kPartial;
    os::LinuxFiles files;
    CO_TRY(files.remove(partial));
    std::optional<os::DirectoryOwner> owner;
    if (pod_user_ && pod_user_->becomes) owner = os::DirectoryOwner{pod_user_->user, pod_user_->group};
    CO_TRY(os::make_volume_directory(partial, kRootMode, {}, owner));
    os::ProcessSpec spec;
    spec.program = kTar;
    // Devices come from the machine, and only root could make them. Other directories called dev are the image's own.
    spec.arguments = {"tar",        "--extract",       "--file",           path, "--directory", partial,
                      "--anchored", "--exclude=dev/*", "--exclude=./dev/*"};
    spec.environment = {"PATH=/usr/bin:/bin"};
    if (pod_user_) {
        // The way to the directory is closed to it; its working directory is open.
        spec.arguments[5] = ".";
        spec.directory = ".";
        spec.setup = reader_steps(*pod_user_, partial);
    }
    const auto process = processes_->start(spec);
    if (!process.ok()) co_return no_image(path, process.error().message);
    const os::ProcessEnd end = co_await (*process)->wait();
    if (!(end == os::ProcessEnd())) {
        (void)files.remove(partial).ok();
        co_return no_image(path, "tar cannot unpack it, and ends with " +
                                     (end.signal ? "signal " + std::to_string(end.signal) : std::to_string(end.code)));
    }
    auto clean = [partial] { return os::remove_device_nodes(partial); };
    Result<> cleaned;
    if (worker_)
        cleaned = co_await os::offload(loop_, *worker_, std::move(clean));
    else
        cleaned = clean();
    if (!cleaned.ok()) co_return no_image(path, cleaned.error().message);
    CO_TRY(os::rename_file(partial, root));
    co_return root;
}

}  // namespace muster::node
