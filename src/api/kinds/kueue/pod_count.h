// A number of pods, 1 when it is absent. An explicit zero stays zero.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/schema/value_info.h"

namespace muster::api::kueue {

class PodCount {
public:
    constexpr PodCount() = default;
    constexpr PodCount(std::int32_t count) : count_(count) {}   // NOLINT(google-explicit-constructor)
    constexpr operator std::int32_t() const { return count_; }  // NOLINT(google-explicit-constructor)
    constexpr PodCount& operator+=(std::int32_t more) {
        count_ += more;
        return *this;
    }
    constexpr PodCount& operator++() { return *this += 1; }

private:
    std::int32_t count_ = 1;
};

}  // namespace muster::api::kueue

namespace muster::api {

template <>
struct ScalarTraits<kueue::PodCount> {
    using PodCount = kueue::PodCount;
    static constexpr const char* kOpenapiType = "integer";
    static constexpr const char* kOpenapiFormat = "int32";
    static constexpr const char* kOpenapiName = "io.x-k8s.kueue.v1beta2.PodCount";
    static constexpr const char* kExpected = "an integer";
    static constexpr bool kIsMessage = false;
    static bool empty(const PodCount& value) { return value == PodCount(); }
    static bool from_json(PodCount& value, JsonToken token, std::string& error) {
        if (token.kind == JsonToken::Kind::kNumber && from_protobuf(value, token.text)) return true;
        error = std::string("expected ") + kExpected + ", got " + std::string(token.text);
        return false;
    }
    static void append_json(const PodCount& value, std::string& out) { out += std::to_string(value); }
    static bool from_protobuf(PodCount& value, std::string_view bytes) {
        std::int32_t read = 0;
        const auto [end, problem] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), read);
        if (problem != std::errc() || end != bytes.data() + bytes.size()) return false;
        value = read;
        return true;
    }
    static void append_protobuf(const PodCount& value, std::string& out) { out += std::to_string(value); }
};

}  // namespace muster::api
