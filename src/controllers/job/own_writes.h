// What the controller has written for one Job and the mirrors may not have shown yet. Kept by the Job's UID, so that a
// Job made anew under an old name waits for nothing. While something is unseen, no decision is made for that Job.
#pragma once

#include <algorithm>
#include <vector>

#include "client/mirror.h"
#include "controllers/job/pod_state.h"

namespace muster::controllers::jobs {

class OwnWrites {
public:
    void wrote_job(const api::batch::Job& job) {
        job_version_ = std::max(job_version_, client::parse_version(job.metadata.resource_version));
    }
    // A created or patched pod, as the server answered it.
    void wrote_pod(const api::core::Pod& pod) {
        // One that may have gone with the patch has no further version of its own: what the patch did has to be seen.
        if (is_deleting(pod) && pod.metadata.finalizers.empty()) return released_pod(pod);
        pod_version_ = std::max(pod_version_, client::parse_version(pod.metadata.resource_version));
    }
    // It is on its way, or gone.
    void removed_pod(const api::core::Pod& pod) { removed_.push_back({client::name_of(pod), pod.metadata.uid, false}); }
    // It is gone, or there without its finalizer; that it is on its way may have been seen long before.
    void released_pod(const api::core::Pod& pod) { removed_.push_back({client::name_of(pod), pod.metadata.uid, true}); }

    bool seen(const client::Mirror<api::batch::Job>& jobs, const client::Mirror<api::core::Pod>& pods) {
        std::erase_if(removed_, [&](const Removed& removed) {
            const client::Ref<api::core::Pod> pod = pods.get(removed.name);
            if (!pod || !(pod->metadata.uid == removed.uid)) return true;
            return removed.released ? !has_tracking_finalizer(*pod) : is_deleting(*pod);
        });
        return removed_.empty() && jobs.reached(job_version_) && pods.reached(pod_version_);
    }

private:
    struct Removed {
        client::ObjectName name;
        Text uid;
        bool released;
    };
    std::uint64_t job_version_ = 0;
    std::uint64_t pod_version_ = 0;
    std::vector<Removed> removed_;
};

}  // namespace muster::controllers::jobs
