// What the tests of the Job controller's decisions share: Jobs and pods in a few words, plans as lines of text, and a
// sync of both stages whose status must pass the rules of a status update.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/kinds/batch_names.h"
#include "api/testing/drafts.h"
#include "api/validation/job/job.h"
#include "controllers/job/decide.h"

namespace muster::controllers::jobs {

using api::batch::Job;
using api::core::Pod;

// 2024-01-01T00:00:00Z
inline constexpr Instant kNow = Instant::from_unix_seconds(1704067200);

inline constexpr const char* kPodBase =
    "{'metadata': {'namespace': 'n', 'labels': {'batch.kubernetes.io/controller-uid': 'u1'}, 'creationTimestamp': "
    "'2023-12-31T23:00:00Z', 'finalizers': ['batch.kubernetes.io/job-tracking'], 'ownerReferences': [{'apiVersion': "
    "'batch/v1', 'kind': 'Job', 'name': 'j', 'uid': 'u1', 'controller': true, 'blockOwnerDeletion': true}]}, 'spec': "
    "{'containers': [{'name': 'c', 'image': 'busybox'}]}, 'status': {'phase': 'Pending'}}";

// Words: pending running ready succeeded failed deleting bare (no finalizer) #3 (index) f2 (failed twice before)
// i1 (once ignored) exit7 (exit code of container c) end-5 (ended five seconds ago) on-node restarts3 disrupted
// uid=x; a JSON object is merged last.
inline Pod make_pod(std::string_view name, std::string_view words, std::string_view patch = "{}") {
    Pod pod = api::make_object<Pod>(kPodBase, patch);
    pod.metadata.name = name;
    pod.metadata.uid = name;
    const auto set_condition_of = [&pod](const char* type, const char* status, Instant at) {
        api::core::PodCondition condition;
        condition.type = type;
        condition.status = status;
        condition.last_transition_time = api::Time::from_instant(at);
        pod.status.conditions.edit().push_back(condition);
    };
    const auto container = [&pod]() -> api::core::ContainerStatus& {
        if (pod.status.container_statuses.empty()) pod.status.container_statuses.edit().emplace_back().name = "c";
        return pod.status.container_statuses.edit()[0];
    };
    while (!words.empty()) {
        const std::size_t space = words.find(' ');
        const std::string word(words.substr(0, space));
        words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
        const auto number = [&word](std::size_t from) { return std::stoi(word.substr(from)); };
        if (word == "pending") {
            pod.status.phase = "Pending";
        } else if (word == "running") {
            pod.status.phase = "Running";
        } else if (word == "ready") {
            pod.status.phase = "Running";
            set_condition_of("Ready", "True", kNow - 60s);
        } else if (word == "succeeded") {
            pod.status.phase = "Succeeded";
        } else if (word == "failed") {
            pod.status.phase = "Failed";
        } else if (word == "deleting") {
            pod.metadata.deletion_timestamp = api::Time::from_instant(kNow);
        } else if (word == "bare") {
            pod.metadata.finalizers.reset();
        } else if (word == "on-node") {
            pod.spec.node_name = "node";
        } else if (word == "disrupted") {
            set_condition_of("DisruptionTarget", "True", kNow);
        } else if (word.starts_with("#")) {
            pod.metadata.annotations.set(api::batch::kCompletionIndexAnnotation, word.substr(1));
        } else if (word.starts_with("exit")) {
            container().state.terminated.edit().exit_code = number(4);
        } else if (word.starts_with("end-")) {
            container().state.terminated.edit().finished_at =
                api::Time::from_instant(kNow - std::chrono::seconds(number(4)));
        } else if (word.starts_with("restarts")) {
            container().restart_count = number(8);
        } else if (word.starts_with("uid=")) {
            pod.metadata.uid = word.substr(4);
        } else if (word.starts_with("f")) {
            pod.metadata.annotations.set(api::batch::kIndexFailureCountAnnotation, word.substr(1));
        } else if (word.starts_with("i")) {
            pod.metadata.annotations.set(api::batch::kIndexIgnoredFailureCountAnnotation, word.substr(1));
        } else {
            ADD_FAILURE() << "no such word: " << word;
        }
    }
    return pod;
}

struct PodCase {
    const char* name;
    const char* words;
};
using PodCases = std::vector<PodCase>;

inline std::vector<PodRef> make_pods(const PodCases& cases) {
    std::vector<PodRef> pods;
    for (const PodCase& c : cases) pods.push_back(std::make_shared<const Pod>(make_pod(c.name, c.words)));
    std::sort(pods.begin(), pods.end(),
              [](const PodRef& a, const PodRef& b) { return a->metadata.name < b->metadata.name; });
    return pods;
}

inline std::string print_wake(std::optional<Instant> wake_at) {
    if (!wake_at) return "";
    return " wake+" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*wake_at - kNow).count());
}

// "-a -b!" removes a, and b with its finalizer released first; "+3 +0(2,1)" creates index 3, and 0 after two failures
// and one ignored; "+x2" two pods without index.
inline std::string print(const PodsPlan& plan) {
    std::string out;
    for (const Note& note : plan.notes) out += " note:" + note.reason;
    if (plan.mark_lingering) out += " mark";
    for (const Removal& removal : plan.remove)
        out += " -" + removal.pod->metadata.name.str() + (removal.release_first ? "!" : "");
    int plain = 0;
    for (const PodDraft& draft : plan.create) {
        if (draft.index < 0) {
            ++plain;
            continue;
        }
        out += " +" + std::to_string(draft.index);
        if (draft.failures + draft.ignored_failures > 0)
            out += "(" + std::to_string(draft.failures) + "," + std::to_string(draft.ignored_failures) + ")";
    }
    if (plain > 0) out += " +x" + std::to_string(plain);
    out += print_wake(plan.wake_at);
    return out.empty() ? out : out.substr(1);
}

// "a1 r0 t0 s2[x,y] f1[] done=0-2 lost=3 Suspended=True(JobSuspended)": live pods, counters with uncounted UIDs,
// indexes, conditions.
inline std::string print(const api::batch::JobStatus& status) {
    const auto uids = [](const List<Text>& list) {
        std::string out;
        for (const Text& uid : list) out += (out.empty() ? "" : ",") + uid.str();
        return "[" + out + "]";
    };
    const auto& uncounted = status.uncounted_terminated_pods;
    std::string out = "a" + std::to_string(status.active) + " r" + std::to_string(status.ready.value_or(-1)) + " t" +
                      std::to_string(status.terminating.value_or(-1));
    out += " s" + std::to_string(status.succeeded) + (uncounted ? uids(uncounted->succeeded) : "");
    out += " f" + std::to_string(status.failed) + (uncounted ? uids(uncounted->failed) : "");
    if (!status.completed_indexes.empty()) out += " done=" + status.completed_indexes.str();
    if (status.failed_indexes) out += " lost=" + status.failed_indexes->str();
    for (const auto& condition : status.conditions) {
        out += " " + condition.type.str() + (condition.status == "True" ? "" : "=" + condition.status.str()) + "(" +
               condition.reason.str() + ")";
    }
    return out;
}

inline std::string print_names(const std::vector<PodRef>& pods) {
    std::string out;
    for (const PodRef& pod : pods) out += (out.empty() ? "" : " ") + pod->metadata.name.str();
    return out;
}

struct Sync {
    PodsPlan pods;
    StatusPlan status;
    // The status as it is after the sync.
    api::batch::JobStatus after;
};

// Both stages; the status must pass the rules of a status update.
inline Sync run_sync(const JobView& view, const PodsOutcome* outcome = nullptr) {
    Sync sync;
    sync.pods = decide_pods(view);
    sync.status = decide_status(view, sync.pods, outcome ? *outcome : PodsOutcome::all_done(sync.pods));
    sync.after = sync.status.status.value_or(view.job.status);
    Job written = view.job;
    written.status = sync.after;
    const auto errors = api::validate_job_status_update(written, view.job);
    EXPECT_EQ(api::print_errors(errors), "") << print(view.job.status) << " -> " << print(sync.after);
    return sync;
}

}  // namespace muster::controllers::jobs
