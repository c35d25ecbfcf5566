// What a probe or a hook does to a container, once: run a command in it, send it a request, connect to it, or wait. The
// agent decides when (node/pods/care.h); a runtime carries it out.
//
// Pods have the machine's network and an address of their own in 127.64.0.0/10. Requests go to that address unless a
// host is named, as a kubelet's do: a server that listens everywhere (0.0.0.0) or on its pod's address is reached, one
// that listens on 127.0.0.1 alone is not.
#pragma once

#include <string>

#include "api/kinds/core/container.h"
#include "base/instant.h"
#include "node/runtime/run.h"
#include "os/loop/task.h"

namespace muster::node {

// One of them is set. Constructors, because Tasks take it.
struct Action {
    Action() = default;
    explicit Action(const api::core::ProbeHandler& handler)
        : exec(handler.exec), http_get(handler.http_get), tcp_socket(handler.tcp_socket), grpc(handler.grpc) {}
    // A hook that would open a connection never worked on Kubernetes and fails: it becomes none of them.
    explicit Action(const api::core::LifecycleHandler& handler)
        : exec(handler.exec), http_get(handler.http_get), sleep(handler.sleep) {}

    Box<api::core::ExecAction> exec{};
    Box<api::core::HTTPGetAction> http_get{};
    Box<api::core::TCPSocketAction> tcp_socket{};
    Box<api::core::GRPCAction> grpc{};
    Box<api::core::SleepAction> sleep{};
};

// The container that an action is for.
struct ActionTarget {
    ActionTarget() = default;
    ActionTarget(RunKey which, Text address, List<api::core::ContainerPort> named)
        : run(std::move(which)), pod_ip(std::move(address)), ports(std::move(named)) {}

    RunKey run{};
    Text pod_ip{};
    List<api::core::ContainerPort> ports{};
    Text directory = "/";            // where commands begin
    Text agent = "kube-probe/1.36";  // what requests call us
};

struct ActionResult {
    enum class Kind {
        kSuccess,
        kWarning,  // a success of which something should be told
        kFailure,
        kError,  // it could not be tried
    };
    Kind kind = Kind::kSuccess;
    std::string output{};  // what it said, or what went wrong
    bool ok() const { return kind == Kind::kSuccess || kind == Kind::kWarning; }
};

class Actions {
public:
    virtual ~Actions() = default;

    // A timeout of zero is none. Dropping the Task ends what it began.
    virtual os::Task<ActionResult> act(Action action, ActionTarget target, Duration timeout) = 0;
};

}  // namespace muster::node
