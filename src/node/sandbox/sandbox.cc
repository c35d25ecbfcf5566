#include "node/sandbox/sandbox.h"

#include <algorithm>

#include "node/identity/identity.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;
using os::SetupStep;

constexpr std::size_t kEntriesMax = 48;  // more are not mounted one by one: mounting costs microseconds each
constexpr std::size_t kHostNameMax = 63;
constexpr std::uint32_t kSticky = 01000;
constexpr std::string_view kRootfs = "rootfs:";
constexpr const char* kDevices = "/dev";

bool is_below(const std::string& path, const std::string& above) {
    if (above == "/") return path != "/";
    return path.size() > above.size() && path.starts_with(above) && path[above.size()] == '/';
}
std::string joined(const std::string& directory, const std::string& name) {
    if (name.empty()) return directory;
    return directory == "/" ? '/' + name : directory + '/' + name;
}
// "/a/b" below "/a" is "/b".
std::string relative_to(const std::string& path, const std::string& above) {
    return above == "/" ? path : path.substr(above.size());
}
std::string without_end_slash(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

// Whether the parts of the path lead to "/" by themselves, whatever is there.
bool is_root(std::string_view path) {
    int depth = 0;
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        const std::string_view part = path.substr(0, slash);
        if (part == "..")
            depth = std::max(depth - 1, 0);
        else if (!part.empty() && part != ".")
            ++depth;
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return depth == 0;
}

bool is_kernels(const std::string& top) { return top == "dev" || top == "proc" || top == "sys"; }

// Those of which machines have dozens that no container uses.
bool is_rare_device(std::string_view name) {
    return (name.starts_with("tty") && name != "tty") || name.starts_with("vcs") || name.starts_with("loop") ||
           name.starts_with("ram");
}

// One thing to mount, whatever it comes from.
struct Wanted {
    std::string source{};
    std::string beneath{};
    std::string path{};  // in the container
    std::string real{};  // on the machine, links resolved
    std::uint64_t flags = 0;
    bool of_machine = false;  // a hostPath
};

class Layout {
public:
    explicit Layout(const SandboxView& view) : view_(view) {}

    Result<Sandbox> make() {
        const bool mounts = needs_mounts(view_.container, view_.extra) || hides();
        if (mounts && view_.facts.access == os::NamespaceAccess::kNone)
            return Error{
                Code::kInvalid,
                "container " + view_.container.name.str() +
                    " needs a mount namespace for its volumes or its root, and the kernel gives this node none"};
        // Without namespaces a host name is only told by the variable HOSTNAME.
        const bool named = needs_host_name(view_.pod) && view_.facts.access != os::NamespaceAccess::kNone;
        enter_namespaces(mounts, named);
        if (mounts) {
            add(os::setup::private_mounts());
            TRY(collect());
            if (hides()) hide();
            // Groups give rights over files of the machine, which are looked up from here on.
            if (becomes() && looks_up_files()) add(os::setup::groups(view_.facts.pod_user->groups));
            if (rootfs_path(view_.container).empty())
                lay_out_machine();
            else
                TRY(lay_out_image());
        }
        // Apart from the mount namespace, which others may have made for this one (prepared_mounts.h).
        if (named && (mounts || view_.facts.access == os::NamespaceAccess::kFree))
            add(os::setup::unshare(os::kUtsNamespace));
        if (named) add(os::setup::host_name(pod_host_name(view_.pod)));
        add_identity();
        return std::move(sandbox_);
    }

private:
    // A directory of the machine that is replaced by one in memory.
    struct Stage {
        std::string real{};
        std::string place{};
        const os::MountPoint* point = nullptr;
    };

    bool becomes() const { return view_.facts.pod_user && view_.facts.pod_user->becomes; }
    bool hides() const { return view_.facts.pod_user && !view_.facts.pod_user->becomes; }

    bool looks_up_files() const {
        return !view_.facts.image_root.empty() ||
               std::any_of(wanted_.begin(), wanted_.end(), [](const Wanted& wanted) { return wanted.of_machine; });
    }

    void add_identity() {
        if (becomes()) {
            for (SetupStep& step : become_steps(*view_.facts.pod_user)) add(std::move(step));
            return;
        }
        const IdentityFacts identity{view_.facts.user, view_.facts.primary_group, view_.facts.image_groups};
        for (SetupStep& step : identity_steps(view_.pod, view_.container, identity)) add(std::move(step));
        if (hides()) add(os::setup::no_new_privileges());
    }

    // What is the node's own is found from its directory afterwards, and what is not, not at all.
    void hide() {
        int number = 0;
        for (Wanted& wanted : wanted_) {
            if (wanted.of_machine || is_below(wanted.source, view_.facts.directory)) continue;
            // In memory, where others' is, too: brought here first.
            std::string place = view_.stage + "/memory-" + std::to_string(number++);
            add(os::setup::bind_mount(wanted.source, place));
            sandbox_.directories.push_back(place);
            wanted.source = std::move(place);
        }
        add(os::setup::change_directory(view_.facts.directory));
        for (SetupStep& step : hide_steps(*view_.facts.pod_user)) add(std::move(step));
        for (Wanted& wanted : wanted_)
            if (!wanted.of_machine) wanted.source = own(wanted.source);
    }
    // The path of something in the node's directory, as the process finds it.
    std::string own(const std::string& path) const {
        return hides() && is_below(path, view_.facts.directory) ? relative_to(path, view_.facts.directory).substr(1)
                                                                : path;
    }

    void add(SetupStep step) { sandbox_.steps.push_back(std::move(step)); }
    void add_inside(SetupStep step, const std::string& root) {
        step.inside = root;
        add(std::move(step));
    }
    bool read_only_root() const {
        const auto& context = view_.container.security_context;
        return context && context->read_only_root_filesystem.value_or(false);
    }

    void enter_namespaces(bool mounts, bool named) {
        const bool free = view_.facts.access == os::NamespaceAccess::kFree;
        if (!mounts && (free || !named)) return;
        if (free) return add(os::setup::unshare(os::kMountNamespace));
        const std::uint64_t flags = mounts ? os::kMountNamespace : os::kUtsNamespace;
        os::setup::SeenAs seen{view_.facts.user, view_.facts.group};
        if (hides()) seen = {view_.facts.pod_user->user, view_.facts.pod_user->group};
        for (SetupStep& step : os::setup::own_user_namespace(flags, view_.facts.user, view_.facts.group, seen))
            add(std::move(step));
    }

    Result<void> collect() {
        for (const auto& mount : view_.container.volume_mounts) {
            const auto place = view_.volumes.find(mount.name);
            if (place == view_.volumes.end())
                return Error{Code::kInvalid, "volume \"" + mount.name.str() + "\" is not among the pod's"};
            if (mount.mount_propagation && !(*mount.mount_propagation == "None"))
                return Error{Code::kInvalid, "mountPropagation " + mount.mount_propagation->str() + " of volume \"" +
                                                 mount.name.str() + "\" cannot be had on this node"};
            Wanted wanted;
            wanted.source = place->second.path;
            wanted.of_machine = place->second.of_machine;
            wanted.path = without_end_slash(mount.mount_path.str());
            if (wanted.path.empty() || wanted.path.front() != '/') wanted.path = '/' + wanted.path;
            if (is_root(wanted.path))
                return Error{Code::kInvalid, "volume \"" + mount.name.str() +
                                                 "\" cannot be mounted at /: a volume is not a container's root"};
            wanted.beneath = mount.sub_path.str();
            if (!mount.sub_path_expr.empty()) {
                TRY_ASSIGN(wanted.beneath, expand_sub_path(mount.sub_path_expr, view_.environment));
            }
            wanted.flags = SetupStep::kRecursive | SetupStep::kMakePoint;
            if (!wanted.beneath.empty()) wanted.flags |= SetupStep::kMakeBeneath;
            if (mount.read_only || place->second.written) wanted.flags |= SetupStep::kReadOnlyMount;
            if (mount.recursive_read_only && !(*mount.recursive_read_only == "Disabled"))
                wanted.flags |= SetupStep::kReadOnlyTree;
            wanted_.push_back(std::move(wanted));
        }
        for (const ExtraMount& mount : view_.extra) {
            if (std::any_of(wanted_.begin(), wanted_.end(),
                            [&](const Wanted& each) { return each.path == mount.path; }))
                continue;
            Wanted wanted;
            wanted.source = mount.source;
            wanted.path = mount.path;
            wanted.flags = SetupStep::kMakePoint;
            if (mount.read_only) wanted.flags |= SetupStep::kReadOnlyMount;
            wanted_.push_back(std::move(wanted));
        }
        // What is mounted within another comes after it.
        std::stable_sort(wanted_.begin(), wanted_.end(),
                         [](const Wanted& a, const Wanted& b) { return a.path.size() < b.path.size(); });
        return {};
    }

    void mount_wanted(const Wanted& wanted, const std::string& path, const std::string& root) {
        SetupStep step = os::setup::bind_mount(wanted.source, path, wanted.flags);
        step.detail = wanted.beneath;
        add_inside(looked_up(std::move(step), wanted), root);
    }
    // A file of the machine is looked up with the pod user's rights.
    SetupStep looked_up(SetupStep step, const Wanted& wanted) const {
        if (!becomes() || !wanted.of_machine) return step;
        return os::setup::as_user(std::move(step), view_.facts.pod_user->user, view_.facts.pod_user->group);
    }

    // On the machine's own root.
    void lay_out_machine() {
        find_stages();
        for (const Stage& stage : stages_) build(stage);
        for (const Wanted& wanted : wanted_) {
            const Stage* stage = innermost(wanted.real);
            if (stage)
                mount_wanted(wanted, relative_to(wanted.real, stage->real), stage->place);
            else
                mount_wanted(wanted, wanted.path, {});
        }
        for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) put_in_place(*stage);
    }

    const Wanted* mount_above(const Wanted& wanted) const {
        const Wanted* above = nullptr;
        for (const Wanted& other : wanted_)
            if (is_below(wanted.path, other.path)) above = &other;  // sorted: the last is the nearest
        return above;
    }

    void find_stages() {
        std::map<std::string, const os::MountPoint*> lacking;
        if (read_only_root()) lacking["/"] = find_point("/");
        for (Wanted& wanted : wanted_) {
            if (const Wanted* above = mount_above(wanted)) {
                wanted.real = above->real + wanted.path.substr(above->path == "/" ? 0 : above->path.size());
                continue;
            }
            const os::MountPoint* point = find_point(wanted.path);
            if (!point) {
                wanted.real = wanted.path;
                continue;
            }
            wanted.real = joined(point->existing, point->rest);
            if (!point->rest.empty()) lacking[point->existing] = point;
        }
        for (const auto& [real, point] : lacking) {
            if (!point) continue;
            Stage& stage = stages_.emplace_back();
            stage.real = real;
            const std::string place = view_.stage + '/' + std::to_string(stages_.size());
            stage.place = own(place);
            stage.point = point;
            sandbox_.directories.push_back(place);
        }
        // By name, a directory comes before those in it.
    }
    const os::MountPoint* find_point(const std::string& path) const {
        const auto found = view_.facts.points.find(path);
        return found == view_.facts.points.end() ? nullptr : &found->second;
    }
    const Stage* innermost(const std::string& real) const {
        const Stage* found = nullptr;
        for (const Stage& stage : stages_)
            if (is_below(real, stage.real)) found = &stage;
        return found;
    }

    void build(const Stage& stage) {
        const bool sticky = (stage.point->mode & kSticky) != 0;
        add(os::setup::tmpfs(stage.place, sticky ? "mode=1777" : "mode=755", SetupStep::kNoDevices));
        if (sticky) return;  // a place for temporary files: an empty one does
        // Devices do not work in an overlay of an ordinary user.
        const bool overlaid = stage.point->entries.size() > kEntriesMax && stage.real != "/" &&
                              stage.real != kDevices &&
                              (stage.place + stage.real).find_first_of(":,\\") == std::string::npos;
        if (overlaid) build_overlay(stage);
        for (const os::DirectoryEntry& entry : stage.point->entries) {
            if (overlaid && !entry.mounted) continue;
            if (stage.real == kDevices && is_rare_device(entry.name)) continue;
            if (entry.kind == os::DirectoryEntry::Kind::kLink) {
                add(os::setup::make_link(joined(stage.place, entry.name), entry.target));
                continue;
            }
            std::uint64_t flags = SetupStep::kRecursive | SetupStep::kMakePoint;
            if (read_only_root() && !(stage.real == "/" && is_kernels(entry.name)))
                flags |= SetupStep::kReadOnlyMount | SetupStep::kReadOnlyTree;
            add_inside(os::setup::bind_mount(joined(stage.real, entry.name), '/' + entry.name, flags), stage.place);
        }
    }
    // All that the machine has there in one mount, which cannot be written, and the points beside it.
    void build_overlay(const Stage& stage) {
        for (const Wanted& wanted : wanted_) {
            if (innermost(wanted.real) != &stage || mount_above(wanted)) continue;
            // The point is made as what will be there; a file when the source is one is only known to its process.
            SetupStep step = os::setup::bind_mount(wanted.source, relative_to(wanted.real, stage.real), wanted.flags);
            step.detail = wanted.beneath;
            add_inside(looked_up(std::move(step), wanted), stage.place);
        }
        add(os::setup::overlay(stage.place, "lowerdir=" + stage.place + ':' + stage.real));
    }

    void put_in_place(const Stage& stage) {
        if (read_only_root()) add(os::setup::read_only(stage.place, false));
        if (stage.real == "/") return change_root(stage.place);
        const Stage* around = nullptr;
        for (const Stage& other : stages_)
            if (is_below(stage.real, other.real)) around = &other;
        SetupStep step =
            os::setup::move_mount(stage.place, around ? relative_to(stage.real, around->real) : stage.real);
        if (around) step.inside = around->place;
        add(std::move(step));
    }

    // Over the machine's root rather than in its place: taking the old one away costs as much as all the rest, and
    // hides nothing here, since all that it holds is mounted again.
    void change_root(const std::string& place) {
        add(os::setup::change_directory(place));
        add(os::setup::move_mount(place.front() == '/' ? place : ".", "/"));
        add(os::setup::change_root("."));
    }

    // On the root of an image: what is written goes to a layer of the container's own.
    Result<void> lay_out_image() {
        std::string image = own(view_.facts.image_root);
        if ((image + view_.stage).find_first_of(":,\\") != std::string::npos)
            return Error{Code::kInvalid, "the root " + image + " has a path that cannot be mounted"};
        for (const char* each : {"/root", "/upper", "/work"}) sandbox_.directories.push_back(view_.stage + each);
        const std::string root = own(view_.stage + "/root");
        const std::string upper = own(view_.stage + "/upper");
        const std::string work = own(view_.stage + "/work");
        if (becomes() && !is_below(image, view_.facts.directory)) {
            const PodUser& user = *view_.facts.pod_user;
            add(os::setup::as_user(os::setup::change_directory(image), user.user, user.group));
            image = ".";
        }
        std::string options = "lowerdir=" + image + ",upperdir=" + upper + ",workdir=" + work;
        if (view_.facts.access == os::NamespaceAccess::kByUser) options += ",userxattr";
        add(os::setup::overlay(root, options));
        constexpr std::uint64_t kWhole = SetupStep::kRecursive | SetupStep::kMakePoint;
        add_inside(os::setup::bind_mount("/proc", "/proc", kWhole), root);
        add_inside(os::setup::bind_mount("/dev", "/dev", kWhole), root);
        add_inside(os::setup::bind_mount("/sys", "/sys", kWhole | SetupStep::kReadOnlyMount | SetupStep::kReadOnlyTree),
                   root);
        if (read_only_root())
            add_inside(os::setup::tmpfs("/tmp", "mode=1777", SetupStep::kMakePoint | SetupStep::kNoDevices), root);
        else
            add_inside(os::setup::make_directory("/tmp"), root);
        for (const char* file : {"/etc/resolv.conf", "/etc/hosts"}) {
            if (std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& each) { return each.path == file; }))
                continue;
            add_inside(os::setup::bind_mount(file, file, SetupStep::kMakePoint | SetupStep::kReadOnlyMount), root);
        }
        for (const Wanted& wanted : wanted_) mount_wanted(wanted, wanted.path, root);
        if (read_only_root()) add(os::setup::read_only(root, false));
        add(os::setup::pivot_root(root));
        return {};
    }

    const SandboxView& view_;
    Sandbox sandbox_;
    std::vector<Wanted> wanted_;
    std::vector<Stage> stages_;
};

}  // namespace

bool needs_mounts(const Container& container, const std::vector<ExtraMount>& extra) {
    const bool read_only =
        container.security_context && container.security_context->read_only_root_filesystem.value_or(false);
    return !container.volume_mounts.empty() || !extra.empty() || read_only || !rootfs_path(container).empty();
}

std::vector<std::string> mounted_paths(const Container& container, const std::vector<ExtraMount>& extra) {
    std::vector<std::string> paths;
    if (!needs_mounts(container, extra) || !rootfs_path(container).empty()) return paths;
    if (container.security_context && container.security_context->read_only_root_filesystem.value_or(false))
        paths.emplace_back("/");
    for (const auto& mount : container.volume_mounts) {
        std::string path = without_end_slash(mount.mount_path.str());
        paths.push_back(path.starts_with('/') ? path : '/' + path);
    }
    for (const ExtraMount& mount : extra) paths.push_back(mount.path);
    return paths;
}

bool covers_path(const Container& container, const std::string& path) {
    // /var/run leads to /run on most machines.
    constexpr std::string_view kVar = "/var";
    const std::string other = path.starts_with("/var/run/") ? path.substr(kVar.size()) : path;
    for (const std::string& mounted : mounted_paths(container, {}))
        for (const std::string& each : {path, other})
            if (mounted == each || is_below(each, mounted) || is_below(mounted, each)) return true;
    return false;
}

bool needs_host_name(const Pod& pod) {
    if (pod.spec.host_network) return false;
    if (pod.spec.hostname_override && !pod.spec.hostname_override->empty()) return true;
    return !pod.spec.hostname.empty() || (pod.spec.set_hostname_as_fqdn.value_or(false) && !pod.spec.subdomain.empty());
}

std::string pod_host_name(const Pod& pod) {
    if (pod.spec.hostname_override && !pod.spec.hostname_override->empty()) return pod.spec.hostname_override->str();
    std::string name = pod.spec.hostname.empty() ? pod.metadata.name.str() : pod.spec.hostname.str();
    if (name.size() > kHostNameMax) {
        name.resize(kHostNameMax);
        while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
    }
    if (pod.spec.set_hostname_as_fqdn.value_or(false) && !pod.spec.subdomain.empty())
        name += '.' + pod.spec.subdomain.str() + '.' + pod.metadata.namespace_.str() + ".svc.cluster.local";
    return name;
}

std::string rootfs_path(const Container& container) {
    const std::string_view image = container.image.view();
    return image.starts_with(kRootfs) ? std::string(image.substr(kRootfs.size())) : std::string();
}

Result<Sandbox> make_sandbox(const SandboxView& view) { return Layout(view).make(); }

}  // namespace muster::node
