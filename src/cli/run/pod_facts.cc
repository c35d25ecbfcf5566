#include "cli/run/pod_facts.h"

#include <charconv>

#include "api/kinds/job_state.h"
#include "tally/index_set.h"

namespace muster::cli {
namespace {

using api::core::ContainerStatus;
using api::core::Pod;

const ContainerStatus* first_bad_end(const List<ContainerStatus>& statuses) {
    for (const ContainerStatus& status : statuses)
        if (status.state.terminated && status.state.terminated->exit_code != 0) return &status;
    return nullptr;
}

const ContainerStatus* bad_end(const Pod& pod) {
    const ContainerStatus* found = first_bad_end(pod.status.init_container_statuses);
    return found ? found : first_bad_end(pod.status.container_statuses);
}

std::string end_reason(const api::core::ContainerStateTerminated& end) {
    const std::string code = "exit code " + std::to_string(end.exit_code);
    if (end.reason.empty() || end.reason == "Error") return code;
    std::string text = end.reason.str();
    if (end.reason == "StartError" || end.reason == "ContainerCannotRun" || end.reason == "ContainerStatusUnknown")
        return end.message.empty() ? text : text + ": " + end.message.str();
    return text + ", " + code;
}

std::optional<std::string> waiting_obstacle(const List<ContainerStatus>& statuses) {
    for (const ContainerStatus& status : statuses) {
        if (!status.state.waiting) continue;
        const Text& reason = status.state.waiting->reason;
        if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") continue;
        const Text& message = status.state.waiting->message;
        return reason.str() + (message.empty() ? "" : ": " + message.str());
    }
    return std::nullopt;
}

std::int64_t uncounted_successes(const api::batch::JobStatus& status) {
    return status.uncounted_terminated_pods
               ? static_cast<std::int64_t>(status.uncounted_terminated_pods->succeeded.size())
               : 0;
}

}  // namespace

Text job_uid_of(const Pod& pod) {
    for (const api::meta::OwnerReference& owner : pod.metadata.owner_references)
        if (owner.controller.value_or(false) && owner.kind == "Job") return owner.uid;
    return {};
}

std::optional<int> completion_index_of(const Pod& pod) {
    const Text* text = pod.metadata.annotations.find(api::batch::kCompletionIndexAnnotation);
    if (!text) return std::nullopt;
    const std::string_view digits = text->view();
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(index) : std::nullopt;
}

Text container_to_blame(const Pod& pod) {
    if (const ContainerStatus* status = bad_end(pod)) return status->name;
    return pod.spec.containers.empty() ? Text() : pod.spec.containers[0].name;
}

PodFailure describe_failure(const Pod& pod, const std::string& job) {
    PodFailure failure;
    failure.job = job;
    failure.pod = pod.metadata.name.str();
    failure.index = completion_index_of(pod);
    if (const ContainerStatus* status = bad_end(pod)) {
        failure.exit_code = status->state.terminated->exit_code;
        failure.reason = end_reason(*status->state.terminated);
        if (pod.spec.containers.size() + pod.spec.init_containers.size() > 1)
            failure.reason += " of container " + status->name.str();
    }
    if (!pod.status.reason.empty()) {
        failure.reason = pod.status.reason.str();
        if (!pod.status.message.empty()) failure.reason += ": " + pod.status.message.str();
    }
    if (failure.reason.empty()) failure.reason = "no reason is given";
    return failure;
}

std::optional<std::string> describe_obstacle(const Pod& pod) {
    if (pod.metadata.deletion_timestamp) return std::nullopt;
    for (const api::core::PodCondition& condition : pod.status.conditions)
        if (condition.type == "PodScheduled" && condition.status == "False" && condition.reason == "Unschedulable")
            return condition.message.str();
    if (auto found = waiting_obstacle(pod.status.init_container_statuses)) return found;
    return waiting_obstacle(pod.status.container_statuses);
}

bool is_single(const api::batch::Job& job) {
    return job.spec.completions.value_or(1) == 1 && job.spec.parallelism.value_or(1) == 1;
}

Progress progress_of(const api::batch::Job& job) {
    Progress progress;
    progress.name = job.metadata.name.str();
    if (job.spec.completions) progress.total = *job.spec.completions;
    progress.done = job.status.succeeded + uncounted_successes(job.status);
    progress.failed = job.status.failed;
    if (job.spec.backoff_limit_per_index && job.spec.completions) {
        const std::string_view failed = job.status.failed_indexes ? job.status.failed_indexes->view() : "";
        progress.failed = tally::IndexSet::parse(failed, *job.spec.completions).size();
    }
    return progress;
}

JobEnd describe_end(const api::batch::Job& job) {
    const Progress progress = progress_of(job);
    JobEnd end;
    end.job = progress.name;
    end.complete = api::batch::is_complete(job.status);
    end.done = progress.done;
    end.total = progress.total;
    end.pods_failed = job.status.failed;
    if (job.status.failed_indexes) end.failed_indexes = job.status.failed_indexes->str();
    for (const api::batch::JobCondition& condition : job.status.conditions) {
        const bool is_end =
            condition.type == (end.complete ? api::batch::kConditionComplete : api::batch::kConditionFailed);
        if (!is_end || condition.status != "True") continue;
        end.reason = condition.reason.str();
        end.message = condition.message.str();
    }
    return end;
}

}  // namespace muster::cli
