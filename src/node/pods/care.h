// Looks after containers that run: their postStart hook, then their probes, their preStop hook when they are to end.
// What it learns stands in their Vitals, which pod_state.h and status.h read; it ends nothing itself.
//
// A container without probes and hooks costs nothing here. What is learnt lasts as long as the run and this process: a
// server that is started again takes started and ready from the stored status, and does not repeat a postStart hook.
#pragma once

#include <functional>
#include <memory>

#include "api/kinds/core/pod.h"
#include "node/pods/pod_view.h"
#include "node/pods/probe_state.h"
#include "node/runtime/actions.h"
#include "node/runtime/run.h"
#include "node/runtime/run_map.h"

namespace muster::node {

class Care {
public:
    using PodRef = std::shared_ptr<const api::core::Pod>;
    struct Listener {
        // Something of the pod's vitals is not what it was.
        std::function<void(const api::core::Pod& pod)> changed{};
        std::function<void(const api::core::Pod& pod, const api::core::Container& container, bool warning,
                           const char* reason, std::string message)>
            tell{};
    };
    // All must outlive it. Without actions every container counts as well, and its hooks as done.
    Care(os::Loop& loop, Actions* actions, Listener listener);
    ~Care();

    // Looks after the latest run of each container that runs and needs it, and puts what is known into `runs`.
    void attend(const PodRef& pod, RunsByContainer& runs, const Text& pod_ip, bool stopping);
    // The run is one that this process asked for, so that its postStart hook is still to come.
    void expect(const RunKey& key) { expected_.insert(key); }
    // Begins the container's preStop hook.
    void begin_stop(const RunKey& key);
    // The run has ended: nothing more happens for it.
    void end(const RunKey& key);
    void forget(const Text& pod_uid);

private:
    struct Patient;

    void admit(const PodRef& pod, const api::core::Container& container, bool init, const Run& run, const Text& pod_ip);
    os::Task<void> begin(Patient* patient, bool hook);
    os::Task<void> probe(Patient* patient, ProbeKind kind);
    os::Task<void> hold(Patient* patient);
    bool may_ask(const Patient& patient, ProbeKind kind) const;
    void take_answer(Patient& patient, ProbeKind kind, const ActionResult& result, ProbeState& state);
    void take_verdict(Patient& patient, ProbeKind kind, const ProbeState& state);

    os::Loop& loop_;
    Actions* actions_;
    const Listener listener_;
    RunSet expected_;
    RunMap<std::unique_ptr<Patient>> patients_;
};

}  // namespace muster::node
