#include "server/rest/streams/pod_log.h"

#include "api/validation/rules/field_errors.h"

namespace muster::server {
namespace {

using api::core::Pod;
using api::core::PodLogOptions;

void check_at_least(const char* field, const std::optional<std::int64_t>& value, std::int64_t least,
                    api::FieldErrors& errors) {
    if (value && *value < least)
        errors.add_invalid(api::FieldPath(field), *value,
                           least == 0 ? "must be greater than or equal to 0" : "must be greater than 0");
}

void check_stream(const PodLogOptions& options, api::FieldErrors& errors) {
    if (!options.stream) return;
    if (*options.stream != "All" && *options.stream != "Stdout" && *options.stream != "Stderr")
        errors.add_not_supported(api::FieldPath("stream"), options.stream->view(), {"All", "Stderr", "Stdout"});
    if (*options.stream != "All" && options.tail_lines)
        errors.add_forbidden(api::FieldPath("tailLines"),
                             "may not be specified together with a `stream` other than All");
}

}  // namespace

Result<Text> choose_container(const Pod& pod, const Text& wanted) {
    if (wanted.empty() && pod.spec.containers.size() == 1) return pod.spec.containers[0].name;
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
    if (found) return wanted;
    return Error{Code::kBadRequest, "container " + wanted.str() + " is not valid for pod " + pod_name};
}

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
    check_stream(options, errors);
    if (options.since_seconds && options.since_time)
        errors.add_forbidden(api::FieldPath("sinceTime"),
                             "at most one of `sinceTime` or `sinceSeconds` may be specified");
    if (!errors.empty()) return invalid_object(api::kind_info<Pod>(), "", std::move(errors));
    return options;
}

Result<std::unique_ptr<client::LogStream>> open_log(const Pod& pod, const Query& query, client::PodAccess* node) {
    TRY(choose_container(pod, query.get("container")));
    TRY_ASSIGN(const PodLogOptions options, parse_log_options(query));
    if (pod.spec.node_name.empty()) return std::unique_ptr<client::LogStream>();
    if (!node) return Error{Code::kUnavailable, "node \"" + pod.spec.node_name.str() + "\" keeps no logs"};
    return node->open_log(pod, options);
}

}  // namespace muster::server
