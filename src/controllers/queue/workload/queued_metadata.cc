#include "controllers/queue/workload/queued_metadata.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "api/kinds/kueue/kueue_names.h"
#include "api/selector/names.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;
constexpr std::size_t kGateBytesMax = 63;

void check_unchanged(const api::FieldPath& path, const Text& now, const Text& before, api::FieldErrors& errors) {
    if (!(now == before)) errors.add_invalid(path, now, api::kImmutableSentence);
}

// What is between commas, without the spaces around it.
std::vector<std::string_view> split_gates(std::string_view text) {
    const auto trim = [](std::string_view part) {
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        return part;
    };
    std::vector<std::string_view> gates;
    if (trim(text).empty()) return gates;
    for (;;) {
        const std::size_t comma = text.find(',');
        gates.push_back(trim(text.substr(0, comma)));
        if (comma == std::string_view::npos) return gates;
        text.remove_prefix(comma + 1);
    }
}

void check_gates(const Text& value, api::FieldErrors& errors) {
    const api::FieldPath path = annotation_path(names::kAdmissionGatedByAnnotation);
    std::set<std::string_view> seen;
    for (const std::string_view gate : split_gates(value)) {
        if (gate.empty()) {
            errors.add_invalid(path, value, "cannot contain empty gate names");
        } else if (!seen.insert(gate).second) {
            errors.add_invalid(path, value, "duplicate gate name: " + std::string(gate));
        } else {
            errors.add_problems(path, gate, api::is_domain_prefixed_path(gate));
            if (gate.size() > kGateBytesMax) errors.add_too_long(path, kGateBytesMax);
        }
    }
}

// Gates go, and never come: what has none may be admitted already.
void check_gates_update(const Text& now, const Text& before, api::FieldErrors& errors) {
    const api::FieldPath path = annotation_path(names::kAdmissionGatedByAnnotation);
    if (before.empty() && !now.empty()) errors.add_forbidden(path, "cannot add admission gate after creation");
    if (before.empty() || now.empty()) return;
    const std::vector<std::string_view> old = split_gates(before);
    for (const std::string_view gate : split_gates(now))
        if (std::find(old.begin(), old.end(), gate) == old.end())
            return errors.add_forbidden(path, "can only remove gates, not add new ones");
}

void check_priority_update(const Text& now, const Text& before, bool suspended, api::FieldErrors& errors) {
    const api::FieldPath path = label_path(names::kPriorityClassLabel);
    if (before.empty() && !now.empty() && !suspended)
        errors.add_invalid(path, now, "a priority class cannot be added to what is running");
    if (!before.empty() && now.empty()) errors.add_invalid(path, now, "a priority class cannot be removed");
}

}  // namespace

api::FieldPath prebuilt_path(const api::meta::ObjectMeta& metadata) {
    const bool annotated = !value_under(metadata.annotations, names::kPrebuiltWorkloadName).empty();
    return annotated ? annotation_path(names::kPrebuiltWorkloadName) : label_path(names::kPrebuiltWorkloadName);
}

Text value_under(const Map<Text>& map, std::string_view key) {
    const Text* value = map.find(key);
    return value ? *value : Text();
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Text queue_name_of(const api::meta::ObjectMeta& metadata) {
    return value_under(metadata.labels, names::kQueueNameLabel);
}

Text prebuilt_of(const api::meta::ObjectMeta& metadata) {
    Text annotated = value_under(metadata.annotations, names::kPrebuiltWorkloadName);
    return annotated.empty() ? value_under(metadata.labels, names::kPrebuiltWorkloadName) : annotated;
}

Text gates_of(const api::meta::ObjectMeta& metadata) {
    return value_under(metadata.annotations, names::kAdmissionGatedByAnnotation);
}

std::optional<std::int32_t> max_execution_seconds(const api::meta::ObjectMeta& metadata) {
    const auto seconds = parse_whole(value_under(metadata.labels, names::kMaxExecTimeSecondsLabel));
    if (!seconds || *seconds < 1 || *seconds > INT32_MAX) return std::nullopt;
    return static_cast<std::int32_t>(*seconds);
}

void check_queued_metadata(const api::meta::ObjectMeta& metadata, api::FieldErrors& errors) {
    if (const Text* queue = metadata.labels.find(names::kQueueNameLabel))
        errors.add_problems(label_path(names::kQueueNameLabel), *queue, api::is_dns1123_subdomain(*queue));
    if (const Text prebuilt = prebuilt_of(metadata); !prebuilt.empty())
        errors.add_problems(prebuilt_path(metadata), prebuilt, api::is_dns1123_subdomain(prebuilt));
    if (const Text* seconds = metadata.labels.find(names::kMaxExecTimeSecondsLabel);
        seconds && !max_execution_seconds(metadata))
        errors.add_invalid(label_path(names::kMaxExecTimeSecondsLabel), *seconds,
                           "must be a whole number of seconds greater than 0");
    check_gates(gates_of(metadata), errors);
    if (value_under(metadata.annotations, names::kElasticJobAnnotation) == names::kTrue)
        errors.add_forbidden(annotation_path(names::kElasticJobAnnotation), "elastic jobs are not supported");
}

void check_queued_metadata_update(const api::meta::ObjectMeta& now, const api::meta::ObjectMeta& before,
                                  bool suspended_now, bool suspended_before, bool default_queue,
                                  api::FieldErrors& errors) {
    const Text queue = queue_name_of(now);
    if (!suspended_now)
        check_unchanged(label_path(names::kQueueNameLabel), queue, queue_name_of(before), errors);
    else if (queue.empty() && !queue_name_of(before).empty() && default_queue)
        errors.add_invalid(label_path(names::kQueueNameLabel), queue,
                           "must not be empty in a namespace with a default queue");
    if (!suspended_now) check_unchanged(prebuilt_path(now), prebuilt_of(now), prebuilt_of(before), errors);
    if (!suspended_now || !suspended_before)
        check_unchanged(label_path(names::kMaxExecTimeSecondsLabel),
                        value_under(now.labels, names::kMaxExecTimeSecondsLabel),
                        value_under(before.labels, names::kMaxExecTimeSecondsLabel), errors);
    check_gates_update(gates_of(now), gates_of(before), errors);
    check_priority_update(value_under(now.labels, names::kPriorityClassLabel),
                          value_under(before.labels, names::kPriorityClassLabel), suspended_now, errors);
}

void check_no_topology(const api::meta::ObjectMeta& metadata, const api::FieldPath& annotations,
                       api::FieldErrors& errors) {
    for (const char* key : {names::kPodSetRequiredTopologyAnnotation, names::kPodSetPreferredTopologyAnnotation,
                            names::kPodSetUnconstrainedTopologyAnnotation})
        if (metadata.annotations.contains(key))
            errors.add_forbidden(annotations.key(key), "queueing by topology is not supported");
}

}  // namespace muster::controllers
