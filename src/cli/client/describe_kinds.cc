// Jobs, cron jobs and nodes.
#include <boost/json/array.hpp>

#include "api/value/quantity.h"
#include "api/value/time.h"
#include "base/saturate.h"
#include "cli/client/describe_text.h"
#include "cli/text/document.h"
#include "cli/text/table_text.h"
#include "server/table/span_text.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string count_at(const json::value& value, std::string_view pointer) {
    const std::string text = text_at(value, pointer);
    return text.empty() ? "0" : text;
}

void describe_job_spec(DescribeText& text, int level, const json::value& job) {
    text.field_at(level, "Parallelism", job, "/spec/parallelism", "<unset>");
    text.field_at(level, "Completions", job, "/spec/completions", "<unset>");
    text.optional_at(level, "Completion Mode", job, "/spec/completionMode");
    text.optional_at(level, "Suspend", job, "/spec/suspend");
    text.optional_at(level, "Backoff Limit", job, "/spec/backoffLimit");
    text.optional_at(level, "Backoff Limit Per Index", job, "/spec/backoffLimitPerIndex");
    text.optional_at(level, "Max Failed Indexes", job, "/spec/maxFailedIndexes");
    text.optional_at(level, "TTL Seconds After Finished", job, "/spec/ttlSecondsAfterFinished");
    if (const std::string seconds = text_at(job, "/spec/activeDeadlineSeconds"); !seconds.empty())
        text.field(level, "Active Deadline Seconds", seconds + "s");
}

// The span between two times as the API writes them, until now when the second is missing.
std::string span_between(const std::string& from, const std::string& to, Instant now) {
    const Result<api::Time> start = api::Time::parse(from);
    const Result<api::Time> end = api::Time::parse(to);
    if (!start.ok()) return "";
    return server::format_span((end.ok() ? end->instant() : now) - start->instant());
}

void describe_conditions(DescribeText& text, const json::value& object) {
    const json::array& conditions = array_at(object, "/status/conditions");
    if (conditions.empty()) return;
    text.line(0, "Conditions:");
    text.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
    text.line(1, "----\t------\t------------------\t------\t-------");
    for (const json::value& condition : conditions)
        text.line(1, text_at(condition, "/type") + "\t" + text_at(condition, "/status") + "\t" +
                         DescribeText::time_text(text_at(condition, "/lastTransitionTime")) + "\t" +
                         text_at(condition, "/reason") + "\t" + text_at(condition, "/message"));
}

api::Quantity quantity_at(const json::value& value, std::string_view pointer) {
    const Result<api::Quantity> parsed = api::Quantity::parse(text_at(value, pointer));
    return parsed.ok() ? *parsed : api::Quantity();
}

// "250m (6%)"
std::string share(const api::Quantity& part, const api::Quantity& whole) {
    const double total = whole.approximate();
    const auto percent = total > 0 ? saturate_cast<std::int64_t>(part.approximate() / total * 100) : 0;
    return part.text() + " (" + std::to_string(percent) + "%)";
}

api::Quantity requested(const json::value& pod, std::string_view resource) {
    api::Quantity sum;
    for (const json::value& container : array_at(pod, "/spec/containers"))
        sum += quantity_at(container, "/resources/requests/" + std::string(resource));
    return sum;
}

void describe_node_pods(DescribeText& text, const json::value& node, const json::value& pods, Instant now) {
    const json::array& list = array_at(pods, "/items");
    const api::Quantity cpu = quantity_at(node, "/status/allocatable/cpu");
    const api::Quantity memory = quantity_at(node, "/status/allocatable/memory");
    api::Quantity cpu_sum;
    api::Quantity memory_sum;
    text.line(0, "Non-terminated Pods:\t(" + std::to_string(list.size()) + " in total)");
    text.line(1, "Namespace\tName\tCPU Requests\tMemory Requests\tAge");
    text.line(1, "---------\t----\t------------\t---------------\t---");
    for (const json::value& pod : list) {
        const api::Quantity pod_cpu = requested(pod, "cpu");
        const api::Quantity pod_memory = requested(pod, "memory");
        cpu_sum += pod_cpu;
        memory_sum += pod_memory;
        text.line(1, text_at(pod, "/metadata/namespace") + "\t" + text_at(pod, "/metadata/name") + "\t" +
                         share(pod_cpu, cpu) + "\t" + share(pod_memory, memory) + "\t" +
                         age_text(text_at(pod, "/metadata/creationTimestamp"), now));
    }
    text.line(0, "Allocated resources:");
    text.line(1, "Resource\tRequests");
    text.line(1, "--------\t--------");
    text.line(1, "cpu\t" + share(cpu_sum, cpu));
    text.line(1, "memory\t" + share(memory_sum, memory));
}

// A list of indexes may be hundreds of kilobytes long: what is beyond this many characters is left out, though no index
// is cut in two.
constexpr std::size_t kIndexesShown = 50;

std::string crop_indexes(const std::string& indexes) {
    const std::size_t comma = indexes.find(',', kIndexesShown);
    return comma == std::string::npos ? indexes : indexes.substr(0, comma + 1) + "...";
}

}  // namespace

void describe_job(DescribeText& text, const json::value& job, Instant now) {
    text.metadata(job);
    text.field(0, "Selector", labels_text(find_at(job, "/spec/selector/matchLabels")));
    text.pairs(0, "Labels", find_at(job, "/metadata/labels"));
    text.pairs(0, "Annotations", find_at(job, "/metadata/annotations"), ": ");
    for (const json::value& owner : array_at(job, "/metadata/ownerReferences"))
        if (text_at(owner, "/controller") == "true")
            text.field(0, "Controlled By", text_at(owner, "/kind") + "/" + text_at(owner, "/name"));
    describe_job_spec(text, 0, job);
    const std::string start = text_at(job, "/status/startTime");
    const std::string end = text_at(job, "/status/completionTime");
    if (!start.empty()) text.field(0, "Start Time", DescribeText::time_text(start));
    if (!end.empty()) text.field(0, "Completed At", DescribeText::time_text(end));
    if (!start.empty() && !end.empty()) text.field(0, "Duration", span_between(start, end, now));
    text.field(0, "Pods Statuses",
               count_at(job, "/status/active") + " Active (" + count_at(job, "/status/ready") + " Ready) / " +
                   count_at(job, "/status/succeeded") + " Succeeded / " + count_at(job, "/status/failed") + " Failed");
    if (text_at(job, "/spec/completionMode") == "Indexed") {
        text.field(0, "Completed Indexes", crop_indexes(text_at(job, "/status/completedIndexes")));
        if (find_at(job, "/status/failedIndexes"))
            text.field(0, "Failed Indexes", crop_indexes(text_at(job, "/status/failedIndexes")));
    }
    describe_conditions(text, job);
    const json::value empty = json::object();
    const json::value* pod_template = find_at(job, "/spec/template");
    describe_pod_template(text, 0, pod_template ? *pod_template : empty);
}

void describe_cron_job(DescribeText& text, const json::value& cron_job) {
    text.metadata(cron_job);
    text.pairs(0, "Labels", find_at(cron_job, "/metadata/labels"));
    text.pairs(0, "Annotations", find_at(cron_job, "/metadata/annotations"), ": ");
    text.field_at(0, "Schedule", cron_job, "/spec/schedule");
    text.optional_at(0, "Time Zone", cron_job, "/spec/timeZone");
    text.field_at(0, "Concurrency Policy", cron_job, "/spec/concurrencyPolicy");
    text.field(0, "Suspend", text_at(cron_job, "/spec/suspend") == "true" ? "True" : "False");
    text.field_at(0, "Successful Job History Limit", cron_job, "/spec/successfulJobsHistoryLimit", "<unset>");
    text.field_at(0, "Failed Job History Limit", cron_job, "/spec/failedJobsHistoryLimit", "<unset>");
    const std::string deadline = text_at(cron_job, "/spec/startingDeadlineSeconds");
    text.field(0, "Starting Deadline Seconds", deadline.empty() ? "" : deadline + "s", "<unset>");
    const json::value empty = json::object();
    const json::value* job = find_at(cron_job, "/spec/jobTemplate");
    describe_job_spec(text, 0, job ? *job : empty);
    const json::value* pod_template = find_at(cron_job, "/spec/jobTemplate/spec/template");
    describe_pod_template(text, 0, pod_template ? *pod_template : empty);
    text.field(0, "Last Schedule Time", DescribeText::time_text(text_at(cron_job, "/status/lastScheduleTime")),
               "<unset>");
    std::string active;
    for (const json::value& each : array_at(cron_job, "/status/active"))
        active += (active.empty() ? "" : ", ") + text_at(each, "/name");
    text.field(0, "Active Jobs", active);
}

void describe_node(DescribeText& text, const json::value& node, const json::value* pods, Instant now) {
    text.metadata(node);
    text.pairs(0, "Labels", find_at(node, "/metadata/labels"));
    text.pairs(0, "Annotations", find_at(node, "/metadata/annotations"), ": ");
    text.field(0, "CreationTimestamp", DescribeText::time_text(text_at(node, "/metadata/creationTimestamp")));
    std::string head = "Taints:";
    for (const json::value& taint : array_at(node, "/spec/taints")) {
        const std::string value = text_at(taint, "/value");
        text.line(0, head + "\t" + text_at(taint, "/key") + (value.empty() ? "" : "=" + value) + ":" +
                         text_at(taint, "/effect"));
        head.clear();
    }
    if (!head.empty()) text.line(0, head + "\t<none>");
    text.field(0, "Unschedulable", text_at(node, "/spec/unschedulable") == "true" ? "true" : "false");
    describe_conditions(text, node);
    text.line(0, "Addresses:");
    for (const json::value& address : array_at(node, "/status/addresses"))
        text.field(1, text_at(address, "/type"), text_at(address, "/address"));
    for (const auto& [name, pointer] :
         {std::pair("Capacity", "/status/capacity"), std::pair("Allocatable", "/status/allocatable")}) {
        text.line(0, std::string(name) + ":");
        const json::value* found = find_at(node, pointer);
        if (found && found->is_object())
            for (const auto& resource : found->as_object())
                text.field(1, resource.key(), text_at(*found, "/" + std::string(resource.key())));
    }
    text.line(0, "System Info:");
    for (const auto& [name, member] :
         {std::pair("Machine ID", "machineID"), std::pair("Boot ID", "bootID"),
          std::pair("Kernel Version", "kernelVersion"), std::pair("OS Image", "osImage"),
          std::pair("Operating System", "operatingSystem"), std::pair("Architecture", "architecture"),
          std::pair("Container Runtime Version", "containerRuntimeVersion"),
          std::pair("Kubelet Version", "kubeletVersion")})
        text.field_at(1, name, node, std::string("/status/nodeInfo/") + member, "");
    if (pods) describe_node_pods(text, node, *pods, now);
}

}  // namespace muster::cli
