// Another Job controller, which acts as the one in kube-controller-manager does. A handover goes from it to ours and
// back, and both may act on one Job at once. It is a model of upstream's rules and shares no code with the product's
// controller: it counts by expectations what its own view does not show yet, gathers changes of pods for a second,
// leaves the choice of names to the server, and deletes without preconditions.
// It leaves alone what it does not model: suspended Jobs, Jobs with a deadline or with policies.
#pragma once

#include <map>
#include <set>

#include "client/mirror.h"
#include "client/work_queue.h"
#include "client/workers.h"
#include "sim/world/connection.h"
#include "sim/world/process_loop.h"

namespace muster::sim {

class UpstreamJobs {
public:
    explicit UpstreamJobs(World& world);

private:
    using Job = api::batch::Job;
    using Pod = api::core::Pod;
    using JobRef = client::Ref<Job>;
    using PodRef = client::Ref<Pod>;

    // What the controller has done and its view does not show yet, of one Job.
    struct Expectations {
        int creations = 0;
        std::set<Text> deletions;  // UIDs of pods
        std::set<Text> releases;   // the same, of finalizers
        Duration expire_at{};      // then the first two are given up, as lost
    };
    // What a sync finds.
    struct Count {
        std::vector<PodRef> active;
        std::set<std::int32_t> done;  // indexes
        std::int32_t succeeded = 0;
        std::int32_t failed = 0;
        bool complete = false;
        bool too_many_failures = false;
        bool ends() const { return complete || too_many_failures; }
    };

    void on_pod(const PodRef& before, const PodRef& now);
    os::Task<client::Worked> sync(client::ObjectName name);
    Count count(const Job& job, const std::vector<PodRef>& pods, const Expectations& expected) const;
    os::Task<bool> remove_all(std::vector<PodRef> pods, Text job_uid);
    os::Task<bool> manage(JobRef job, Count count);
    os::Task<Result<JobRef>> write(JobRef job, api::batch::JobStatus status);
    os::Task<Result<void>> track(JobRef job, std::vector<PodRef> pods, Count count);
    static Pod draft_pod(const Job& job, std::int32_t index);

    ProcessLoop loop_;
    Connection client_;
    client::WorkQueue<client::ObjectName> queue_;
    client::Mirror<Job> jobs_;
    client::Mirror<Pod> pods_;
    client::Mirror<Pod>::IndexId by_owner_ = 0;
    std::map<Text, Expectations> expectations_;  // by the Job's UID
    // UIDs of all pods that the view has shown. Another controller may have named a pod that it does not show yet.
    std::set<Text> shown_;
    client::Workers<client::ObjectName> workers_;
};

}  // namespace muster::sim
