// Whether a node's labels meet a requirement, and which taints a toleration tolerates. Used by the scheduler for nodes
// and by the queues for flavors. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/kinds/core/affinity.h"

namespace muster::api {

inline std::optional<std::int64_t> label_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || code != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

// As a taint has it: one way to write a number, so no leading zeros.
inline std::optional<std::int64_t> taint_number(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.starts_with('0') && text != "0") return {};
    return label_number(text);
}

// `value`: of the label that it names; null when there is no such label.
inline bool meets_requirement(const core::NodeSelectorRequirement& requirement, const Text* value) {
    const Text& op = requirement.operator_;
    if (op == "Exists") return value != nullptr;
    if (op == "DoesNotExist") return value == nullptr;
    const auto& values = requirement.values;
    const bool listed = value && std::find(values.begin(), values.end(), *value) != values.end();
    if (op == "In") return listed;
    if (op == "NotIn") return !listed;
    if (!value || values.size() != 1) return false;
    const auto number = label_number(*value);
    const auto bound = label_number(values[0]);
    if (!number || !bound) return false;
    return op == "Gt" ? *number > *bound : op == "Lt" && *number < *bound;
}

inline bool tolerates(const core::Toleration& toleration, const core::Taint& taint) {
    if (!toleration.effect.empty() && !(toleration.effect == taint.effect)) return false;
    if (!toleration.key.empty() && !(toleration.key == taint.key)) return false;
    const Text& op = toleration.operator_;
    if (op == "Exists") return true;
    if (op.empty() || op == "Equal") return toleration.value == taint.value;
    const auto bound = taint_number(toleration.value);
    const auto number = taint_number(taint.value);
    if (!bound || !number) return false;
    return op == "Lt" ? *number < *bound : op == "Gt" && *number > *bound;
}

inline bool is_tolerated(const List<core::Toleration>& tolerations, const core::Taint& taint) {
    return std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const core::Toleration& toleration) { return tolerates(toleration, taint); });
}

}  // namespace muster::api
