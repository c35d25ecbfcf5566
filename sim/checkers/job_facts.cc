#include "sim/checkers/job_facts.h"

#include <algorithm>

namespace muster::sim {
namespace {

std::set<Text> as_set(const List<Text>& list) { return {list.begin(), list.end()}; }

bool matches_codes(const api::batch::PodFailurePolicyOnExitCodesRequirement& wanted, const Pod& pod) {
    for (const auto& status : pod.status.container_statuses) {
        if (!status.state.terminated || status.state.terminated->exit_code == 0) continue;
        if (wanted.container_name && !(status.name == *wanted.container_name)) continue;
        const bool listed = std::find(wanted.values.begin(), wanted.values.end(), status.state.terminated->exit_code) !=
                            wanted.values.end();
        if (listed == (wanted.operator_ == "In")) return true;
    }
    return false;
}

bool matches_rule(const api::batch::PodFailurePolicyRule& rule, const Pod& pod) {
    if (rule.on_exit_codes) return matches_codes(*rule.on_exit_codes, pod);
    for (const auto& pattern : rule.on_pod_conditions)
        for (const auto& condition : pod.status.conditions)
            if (condition.type == pattern.type && condition.status == pattern.status) return true;
    return false;
}

}  // namespace

std::set<std::int32_t> parse_indexes(std::string_view list) {
    std::set<std::int32_t> out;
    while (!list.empty()) {
        const std::string item(list.substr(0, list.find(',')));
        list.remove_prefix(std::min(list.size(), item.size() + 1));
        const std::size_t dash = item.find('-');
        const int first = std::stoi(item);
        const int last = dash == std::string::npos ? first : std::stoi(item.substr(dash + 1));
        for (int i = first; i <= last; ++i) out.insert(i);
    }
    return out;
}

const api::batch::JobCondition* find_condition(const Job& job, std::string_view type) {
    for (const auto& condition : job.status.conditions)
        if (condition.type == type) return &condition;
    return nullptr;
}

bool has_condition(const Job& job, std::string_view type) {
    const auto* condition = find_condition(job, type);
    return condition && condition->status == "True";
}

bool is_finished(const Job& job) { return has_condition(job, "Complete") || has_condition(job, "Failed"); }
bool is_indexed(const Job& job) { return job.spec.completion_mode && *job.spec.completion_mode == "Indexed"; }
bool is_deleting(const Job& job) { return job.metadata.deletion_timestamp.has_value(); }

bool is_tracked(const Pod& pod) {
    for (const Text& finalizer : pod.metadata.finalizers)
        if (finalizer == "batch.kubernetes.io/job-tracking") return true;
    return false;
}
bool has_ended(const Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }
bool is_deleting(const Pod& pod) { return pod.metadata.deletion_timestamp.has_value(); }

std::int32_t index_of(const Pod& pod) {
    const Text* index = pod.metadata.annotations.find("batch.kubernetes.io/job-completion-index");
    return index ? std::stoi(index->str()) : -1;
}

Text job_uid_of(const Pod& pod) {
    for (const auto& owner : pod.metadata.owner_references)
        if (owner.kind == "Job" && owner.controller.value_or(false)) return owner.uid;
    return {};
}

int exit_code_of(const Pod& pod) {
    if (pod.status.container_statuses.empty()) return -1;
    const auto& state = pod.status.container_statuses[0].state;
    return state.terminated ? state.terminated->exit_code : -1;
}

bool is_ignored_failure(const Job& job, const Pod& pod) {
    if (!job.spec.pod_failure_policy) return false;
    for (const auto& rule : job.spec.pod_failure_policy->rules)
        if (matches_rule(rule, pod)) return rule.action == "Ignore";
    return false;
}

std::set<Text> uncounted_succeeded(const Job& job) {
    const auto& uncounted = job.status.uncounted_terminated_pods;
    return uncounted ? as_set(uncounted->succeeded) : std::set<Text>();
}
std::set<Text> uncounted_failed(const Job& job) {
    const auto& uncounted = job.status.uncounted_terminated_pods;
    return uncounted ? as_set(uncounted->failed) : std::set<Text>();
}

std::string format_status(const Job& job) {
    const auto& status = job.status;
    std::string line = "active " + std::to_string(status.active) + " terminating " +
                       std::to_string(status.terminating.value_or(-1)) + " succeeded " +
                       std::to_string(status.succeeded) + " failed " + std::to_string(status.failed);
    if (!status.completed_indexes.empty()) line += " completed [" + status.completed_indexes.str() + "]";
    if (status.failed_indexes) line += " lost [" + status.failed_indexes->str() + "]";
    for (const Text& uid : uncounted_succeeded(job)) line += " +" + uid.str();
    for (const Text& uid : uncounted_failed(job)) line += " -" + uid.str();
    for (const auto& condition : status.conditions)
        line += " " + condition.type.str() + "=" + condition.status.str() + "(" + condition.reason.str() + ")";
    if (is_deleting(job)) line += " deleting";
    return line;
}

}  // namespace muster::sim
