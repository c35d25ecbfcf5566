#include "node/identity/pod_user.h"

#include <algorithm>

#include "os/machine/users.h"
#include "os/process/mount_points.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace {

constexpr const char* kMemoryDirectory = "/dev/shm";

Error bad_user(const std::string& name, const std::string& why) {
    return {Code::kBadRequest, "--pod-user " + name + ": " + why};
}

}  // namespace

Result<PodUser> find_pod_user(const std::string& name) {
    const std::optional<os::MachineUser> found = os::find_user(name);
    if (!found) return bad_user(name, "this machine has no such user; \"same\" means the server's own");
    if (found->user == 0)
        return bad_user(name, "pods of root could read everything; \"same\" runs them as the server's own user");
    PodUser user;
    user.name = name;
    user.user = found->user;
    user.group = found->group;
    user.groups = found->groups;
    return user;
}

Result<PodUser> settle_pod_user(PodUser user) {
    user.server_user = os::user_id();
    user.server_group = os::group_id();
    user.becomes = user.server_user == 0;
    if (user.becomes) {
        user.apart = true;
        user.apart = os::are_possible(become_steps(user));
        if (!user.apart && !os::are_possible(become_steps(user)))
            return bad_user(user.name, "the kernel does not let the server's processes become this user");
        return user;
    }
    if (os::probe_namespaces() != os::NamespaceAccess::kByUser)
        return bad_user(user.name,
                        "the server is not root, and the kernel gives ordinary users no user namespaces, so that pods "
                        "cannot be kept from the server's files");
    return user;
}

os::SetupSteps become_steps(const PodUser& user) {
    os::SetupSteps steps;
    steps.push_back(os::setup::groups(user.groups));
    steps.push_back(os::setup::group(user.group));
    steps.push_back(os::setup::user(user.user));
    steps.push_back(os::setup::no_new_privileges());
    if (!user.apart) return steps;
    steps.push_back(os::setup::visible_process());
    for (os::SetupStep& step : os::setup::own_user_namespace(0, user.user, user.group))
        steps.push_back(std::move(step));
    return steps;
}

os::SetupSteps hide_steps(const PodUser& user) {
    os::SetupSteps steps;
    constexpr std::uint64_t kClosed = os::SetupStep::kReadOnlyMount | os::SetupStep::kNoDevices;
    for (const std::string& directory : user.hidden_directories)
        steps.push_back(os::setup::tmpfs(directory, "mode=0,size=4k", kClosed));
    for (const std::string& file : user.hidden_files) steps.push_back(os::setup::bind_mount("/dev/null", file));
    // Volumes in memory of the server's other pods are there.
    steps.push_back(
        os::setup::tmpfs(kMemoryDirectory, "mode=1777", os::SetupStep::kNoSuid | os::SetupStep::kNoDevices));
    return steps;
}

os::SetupSteps reader_steps(const PodUser& user, const std::string& directory) {
    os::SetupSteps steps;
    if (user.becomes) {
        steps.push_back(os::setup::change_directory(directory));
        for (os::SetupStep& step : become_steps(user)) steps.push_back(std::move(step));
        return steps;
    }
    steps = os::setup::own_user_namespace(os::kMountNamespace, user.server_user, user.server_group);
    steps.push_back(os::setup::private_mounts());
    steps.push_back(os::setup::change_directory(directory));
    for (os::SetupStep& step : hide_steps(user)) steps.push_back(std::move(step));
    return steps;
}

bool is_hidden(const PodUser& user, const std::string& path) {
    const auto covers = [&](const std::string& above) {
        return path == above || (path.starts_with(above) && path[above.size()] == '/');
    };
    return std::any_of(user.hidden_directories.begin(), user.hidden_directories.end(), covers) ||
           std::any_of(user.hidden_files.begin(), user.hidden_files.end(), covers);
}

}  // namespace muster::node
