// What pods and Jobs say of their queue in labels and annotations, and the rules for it that both have in common. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/kinds/meta/meta.h"
#include "api/validation/rules/field_errors.h"

namespace muster::controllers {

// The WorkloadPriorityClass of work that names none, where there is a class of that name.
inline constexpr const char* kDefaultPriorityClass = "default";

// Selects the pods that are queued themselves, on their own or in groups.
inline constexpr const char* kManagedPods = "kueue.x-k8s.io/managed=true";

// The value under a key; empty when there is none.
Text value_under(const Map<Text>& map, std::string_view key);
// A whole number and nothing else.
std::optional<std::int64_t> parse_whole(std::string_view text);

Text queue_name_of(const api::meta::ObjectMeta& metadata);
// Of a Workload that was made beforehand; empty when there is none. The annotation goes before the label.
Text prebuilt_of(const api::meta::ObjectMeta& metadata);
// kueue.x-k8s.io/max-exec-time-seconds, when it is a number.
std::optional<std::int32_t> max_execution_seconds(const api::meta::ObjectMeta& metadata);

// The admission gates that the object's annotation lists; empty when there are none.
Text gates_of(const api::meta::ObjectMeta& metadata);

// What holds for all that is queued.
void check_queued_metadata(const api::meta::ObjectMeta& metadata, api::FieldErrors& errors);
// `suspended_*`: whether it waits, or has ended.
void check_queued_metadata_update(const api::meta::ObjectMeta& now, const api::meta::ObjectMeta& before,
                                  bool suspended_now, bool suspended_before, bool default_queue,
                                  api::FieldErrors& errors);

// Requests for a place in a topology are not served: refused rather than left out.
void check_no_topology(const api::meta::ObjectMeta& metadata, const api::FieldPath& annotations,
                       api::FieldErrors& errors);

// Where the name of a Workload that was made beforehand stands.
api::FieldPath prebuilt_path(const api::meta::ObjectMeta& metadata);

inline api::FieldPath label_path(std::string_view key) { return api::FieldPath("metadata").child("labels").key(key); }
inline api::FieldPath annotation_path(std::string_view key) {
    return api::FieldPath("metadata").child("annotations").key(key);
}

}  // namespace muster::controllers
