// What really happened, written down from the store's own durable history: every pod that ever was, how it ended, what
// state it was in when it lost its finalizer, and every status a Job ever had. It shares nothing with the controllers,
// and says which of the promises about counting were broken.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "client/client.h"
#include "controllers/node.h"
#include "store/store.h"

namespace muster::worlds {

// How a pod was when its finalizer went: what decides whether it is to be counted.
enum class Fate {
    kOpen,       // it has it still
    kUntracked,  // it never had it
    kSucceeded,
    kFailed,
    kDeleted,    // on its way out, but not ended
    kDismissed,  // running and not deleted, when the controller removed its finalizer: it was in excess
    kAfterEnd,   // running or not, when its Job had finished or was going
};

struct PodTruth {
    client::Ref<api::core::Pod> last;  // as it last was
    Text job;                          // UID of the first owner
    std::int32_t index = -1;
    Fate fate = Fate::kOpen;
    bool gone = false;
    bool was_deleted = false;      // when it lost its finalizer
    std::int32_t completions = 0;  // of the Job, then
    int exit_code = 0;
};

struct JobTruth {
    std::vector<client::Ref<api::batch::Job>> versions;
    bool gone = false;
    int active_max = 0;
    const api::batch::Job& last() const { return *versions.back(); }
};

class Truth {
public:
    using Job = api::batch::Job;
    using Pod = api::core::Pod;

    // What a fault may bring about: a pod too many.
    int excess_allowed = 0;
    // False where finalizers do not mean anything: the feature is being turned off.
    bool is_tracking = true;
    // Failures that the Job's podFailurePolicy ignores.
    std::function<bool(const PodTruth&)> is_ignored = [](const PodTruth&) { return false; };

    // The store was opened: looks at all that is there, and follows it from there on.
    void open(store::Store& store);
    void close();
    // Whether there was something new.
    bool look();

    // The newest Job of that name, while it is there. Null when there is none.
    const Job* job(std::string_view name) const;
    const JobTruth& job_of_uid(const Text& uid) const { return jobs_.at(uid); }
    // Of the newest Job of that name, gone or not.
    const JobTruth* story(std::string_view name) const;
    const std::map<Text, PodTruth>& pods() const { return pods_; }
    std::vector<client::Ref<Pod>> present_pods() const;
    std::vector<client::Ref<Pod>> active_pods() const;
    std::size_t tracked() const;

    // The promises that were broken so far; and with the Job's end, whether its numbers are what happened.
    const std::vector<std::string>& broken() const { return broken_; }
    void check_counts(std::string_view job_name);

    // The Job's statuses, one line each.
    std::string format_story(std::string_view job_name) const;

private:
    struct Change {
        store::Revision revision;
        bool is_job;
        client::Ref<Job> job;
        client::Ref<Pod> pod;
        bool deleted;
    };
    void take(const Change& change);
    void on_job(const client::Ref<Job>& now, bool deleted);
    void on_pod(const client::Ref<Pod>& now, bool deleted);
    void on_new_pod(PodTruth& pod);
    void on_release(PodTruth& pod, const Pod& before);
    void check_status(const Job& before, const Job& now);
    void check_accounted(const PodTruth& pod, const Pod& before, const Job& job);
    void blame(const std::string& what) { broken_.push_back(what); }

    std::unique_ptr<store::Watch> job_watch_;
    std::unique_ptr<store::Watch> pod_watch_;
    std::map<Text, JobTruth> jobs_;            // by UID
    std::map<std::string, Text> job_by_name_;  // the newest
    std::map<Text, PodTruth> pods_;
    std::vector<std::string> broken_;
};

std::string format_status(const api::batch::Job& job);

}  // namespace muster::worlds
