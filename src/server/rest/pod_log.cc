#include "server/rest/pod_log.h"

#include "api/validation/field_errors.h"

namespace muster::server {
namespace {

using api::core::Pod;
using api::core::PodLogOptions;

// The container whose log is meant must be one of the pod's, and be named when there are several.
Result<> check_log_container(const Pod& pod, std::string_view wanted) {
    if (wanted.empty() && pod.spec.containers.size() == 1) return {};
    std::string names;
    bool found = false;
    const auto look_at = [&](const Text& name) {
        names.append(names.empty() ? "" : " ").append(name.view());
        found = found || name == wanted;
    };
    for (const auto& container : pod.spec.init_containers) look_at(container.name);
    for (const auto& container : pod.spec.containers) look_at(container.name);
    for (const auto& container : pod.spec.ephemeral_containers) look_at(container.container.name);
    const std::string pod_name = pod.metadata.name.str();
    if (wanted.empty())
        return Error{Code::kBadRequest,
                     "a container name must be specified for pod " + pod_name + ", choose one of: [" + names + "]"};
    if (found) return {};
    return Error{Code::kBadRequest, "container " + std::string(wanted) + " is not valid for pod " + pod_name};
}

void check_at_least(const char* field, const std::optional<std::int64_t>& value, std::int64_t least,
                    api::FieldErrors& errors) {
    if (value && *value < least)
        errors.add_invalid(api::FieldPath(field), *value,
                           least == 0 ? "must be greater than or equal to 0" : "must be greater than 0");
}

// Whether the container's process is still there to say more.
bool is_running(const Pod& pod, std::string_view container) {
    for (const auto* statuses : {&pod.status.container_statuses, &pod.status.init_container_statuses})
        for (const api::core::ContainerStatus& status : *statuses)
            if (container.empty() || status.name == container)
                if (status.state.running) return true;
    return false;
}

}  // namespace

Result<PodLogOptions> parse_log_options(const Query& query) {
    PodLogOptions options;
    options.container = query.get("container");
    options.follow = query.is_set("follow");
    options.previous = query.is_set("previous");
    options.timestamps = query.is_set("timestamps");
    TRY_ASSIGN(options.since_seconds, query.integer("sinceSeconds"));
    TRY_ASSIGN(options.tail_lines, query.integer("tailLines"));
    TRY_ASSIGN(options.limit_bytes, query.integer("limitBytes"));
    if (const std::string_view since = query.get("sinceTime"); !since.empty()) {
        TRY_ASSIGN(options.since_time, api::Time::parse(since));
    }
    if (const std::string_view stream = query.get("stream"); !stream.empty()) options.stream = Text(stream);
    api::FieldErrors errors;
    check_at_least("sinceSeconds", options.since_seconds, 1, errors);
    check_at_least("tailLines", options.tail_lines, 0, errors);
    check_at_least("limitBytes", options.limit_bytes, 1, errors);
    if (options.since_seconds && options.since_time)
        errors.add_forbidden(api::FieldPath("sinceTime"),
                             "at most one of `sinceTime` or `sinceSeconds` may be specified");
    if (!errors.empty()) return invalid_object(api::kind_info<Pod>(), "", std::move(errors));
    return options;
}

Result<Answer> answer_log(const Pod& pod, const Query& query, const OpenLog& open) {
    TRY(check_log_container(pod, query.get("container")));
    TRY_ASSIGN(const PodLogOptions options, parse_log_options(query));
    if (pod.spec.node_name.empty()) return Answer{200, "text/plain", std::string()};
    if (!open) return Error{Code::kUnavailable, "node \"" + pod.spec.node_name.str() + "\" does not serve logs"};
    if (options.follow && is_running(pod, options.container))
        return Error{Code::kBadRequest, "following the log of a container that runs is not there yet: ask without it"};
    TRY_ASSIGN(auto read, open(pod, options));
    return Answer{200, "text/plain", std::move(read)};
}

}  // namespace muster::server
