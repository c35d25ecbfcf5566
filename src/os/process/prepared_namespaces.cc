#include "os/process/prepared_namespaces.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <memory>

#include "os/errno_error.h"
#include "os/process/clone_child.h"

namespace muster::os {
namespace {

constexpr std::size_t kPreparingStack = 64u << 10;

// Shared with the child, which shares our descriptors, too: what it opens is ours.
struct PreparingChild {
    const SetupSteps& steps;
    bool with_user = false;
    std::size_t failed_step = 0;
    int error = 0;
    int user = -1;
    int mounts = -1;
};

int prepare_in_child(void* argument) {
    auto& child = *static_cast<PreparingChild*>(argument);
    for (child.failed_step = 0; child.failed_step < child.steps.size(); ++child.failed_step) {
        child.error = carry_out(child.steps[child.failed_step]);
        if (child.error != 0) ::_exit(1);
    }
    if (child.with_user) child.user = ::open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    child.mounts = ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (child.mounts < 0 || (child.with_user && child.user < 0)) child.error = errno;
    ::_exit(0);
}

}  // namespace

std::vector<int> PreparedNamespaces::numbers() const {
    std::vector<int> all;
    if (user) all.push_back(user.number());
    all.push_back(mounts.number());
    return all;
}

Result<PreparedNamespaces> prepare_namespaces(const SetupSteps& steps) {
    PreparingChild child{steps};
    for (const SetupStep& step : steps)
        child.with_user =
            child.with_user || (step.kind == SetupStep::Kind::kUnshare && (step.flags & kUserNamespace) != 0);
    const auto stack = std::make_unique<std::byte[]>(kPreparingStack);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t pid = clone_child(&prepare_in_child, stack.get() + kPreparingStack,
                                  CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &child);
    const int error_of_clone = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) return errno_error(error_of_clone, "prepare", "namespaces");
    ::waitpid(pid, nullptr, 0);
    PreparedNamespaces made;
    if (child.user >= 0) made.user = Descriptor(child.user);
    if (child.mounts >= 0) made.mounts = Descriptor(child.mounts);
    if (child.error == 0) return made;
    if (child.failed_step < steps.size()) return setup_error(steps[child.failed_step], child.error);
    return errno_error(child.error, "hold", "namespaces");
}

MountChanges::MountChanges() : mounts_(::open("/proc/self/mounts", O_RDONLY | O_CLOEXEC)) {}

bool MountChanges::happened() const {
    if (!mounts_) return true;
    pollfd each{mounts_.number(), POLLPRI, 0};
    if (::poll(&each, 1, 0) < 0) return true;
    return (each.revents & (POLLPRI | POLLERR)) != 0;
}

}  // namespace muster::os
