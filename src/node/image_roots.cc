#include "node/image_roots.h"

#include "os/files.h"
#include "os/payload.h"

namespace muster::node {
namespace {

constexpr const char* kTar = "/bin/tar";
constexpr std::uint32_t kRootMode = 0755;

Error no_image(const std::string& path, const std::string& why) {
    return {Code::kInvalid, "image \"rootfs:" + path + "\" cannot be used: " + why};
}

}  // namespace

ImageRoots::ImageRoots(os::Loop& loop, os::Processes* processes, std::string directory)
    : loop_(loop), processes_(processes), directory_(std::move(directory)) {}

os::Task<Result<std::string>> ImageRoots::root_of(std::string path) {
    if (!path.starts_with('/')) co_return no_image(path, "its path is not absolute");
    const Result<std::string> kind = os::kind_of_file(path);
    if (!kind.ok()) co_return no_image(path, kind.error().message);
    if (*kind == "directory") co_return path;
    if (*kind != "file") co_return no_image(path, "it is neither a directory nor a tar file");
    const Result<std::string> stamp = os::file_stamp(path);
    if (!stamp.ok()) co_return no_image(path, stamp.error().message);
    const std::string root = directory_ + "/images/" + *stamp;
    for (auto busy = unpacking_.find(root); busy != unpacking_.end(); busy = unpacking_.find(root)) {
        const std::shared_ptr<os::Event> done = busy->second;
        co_await done->wait();
    }
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
    const std::string partial = root + ".partial";
    os::LinuxFiles files;
    CO_TRY(files.remove(partial));
    CO_TRY(os::make_volume_directory(partial, kRootMode, {}));
    os::ProcessSpec spec;
    spec.program = kTar;
    // Devices come from the machine, and only root could make them.
    spec.arguments = {"tar",         "--extract", "--file",          path,
                      "--directory", partial,     "--exclude=dev/*", "--exclude=./dev/*"};
    spec.environment = {"PATH=/usr/bin:/bin"};
    const auto process = processes_->start(spec);
    if (!process.ok()) co_return no_image(path, process.error().message);
    const os::ProcessEnd end = co_await (*process)->wait();
    if (!(end == os::ProcessEnd())) {
        (void)files.remove(partial).ok();
        co_return no_image(path, "tar cannot unpack it, and ends with " +
                                     (end.signal ? "signal " + std::to_string(end.signal) : std::to_string(end.code)));
    }
    CO_TRY(os::rename_file(partial, root));
    co_return root;
}

}  // namespace muster::node
