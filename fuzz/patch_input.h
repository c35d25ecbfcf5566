// What the patch targets share: an input is the object on its first line and the patch on the rest.
#pragma once

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/codec/dom.h"
#include "api/patch/json_dom.h"
#include "api/patch/patch.h"
#include "base/check.h"

namespace muster::fuzz {

struct PatchInput {
    boost::json::value current;
    std::string_view body;
};

inline std::optional<PatchInput> read_patch_input(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    auto current = api::parse_dom(text.substr(0, end));
    if (!current.ok() || !current->is_object() || !api::dom_is_finite(*current)) return std::nullopt;
    return PatchInput{std::move(*current), text.substr(end + 1)};
}

// Boost's reader may be off in the last digit of such a number; all else is read back as it was written.
inline bool holds_double(const boost::json::value& value) {
    if (value.is_object())
        return std::any_of(value.get_object().begin(), value.get_object().end(),
                           [](const auto& member) { return holds_double(member.value()); });
    if (value.is_array()) return std::any_of(value.get_array().begin(), value.get_array().end(), holds_double);
    return value.is_double();
}

// Applies the patch and checks what holds for every kind: the same input gives the same answer, the answer is within
// the limits, and it can be read back. Nothing when the patch was refused.
inline std::optional<boost::json::value> apply_and_check(api::PatchKind kind, const api::TypeInfo& type,
                                                         const PatchInput& input) {
    const api::PatchLimits limits{.body_bytes_max = 1u << 16, .depth_max = 64, .copy_bytes_max = 1u << 16};
    const auto once = api::apply_patch(kind, type, input.current, input.body, limits);
    const auto again = api::apply_patch(kind, type, input.current, input.body, limits);
    CHECK(once.ok() == again.ok());
    if (!once.ok()) {
        CHECK(once.error() == again.error());
        return std::nullopt;
    }
    CHECK(api::dom_depth(*once, limits.depth_max) <= limits.depth_max);
    const std::string text = api::format_dom(*once);
    CHECK(text == api::format_dom(*again));
    const auto read_back = api::parse_dom(text);
    CHECK(read_back.ok() && (holds_double(*once) || api::dom_equal(*read_back, *once)));
    return *once;
}

}  // namespace muster::fuzz
