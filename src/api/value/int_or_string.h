// A number or a text: a port by number or by name, a count or a percentage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/schema/value_info.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::api {

class IntOrString {
public:
    IntOrString() = default;
    IntOrString(std::int32_t number) : number_(number) {}                 // NOLINT(google-explicit-constructor)
    IntOrString(Text text) : text_(std::move(text)), is_string_(true) {}  // NOLINT(google-explicit-constructor)
    IntOrString(const char* text) : IntOrString(Text(text)) {}            // NOLINT(google-explicit-constructor)

    bool is_string() const { return is_string_; }
    std::int32_t number() const { return number_; }  // 0 for a text
    const Text& string() const { return text_; }     // empty for a number
    std::string text() const;                        // "80" or "http"

    // A number is itself, "25%" is that share of total. Any other text is an error (kInvalid, Kubernetes' sentence).
    Result<int> scaled_value(int total, bool round_up) const;

    bool operator==(const IntOrString&) const = default;

private:
    Text text_;
    std::int32_t number_ = 0;
    bool is_string_ = false;
};
static_assert(sizeof(IntOrString) <= 16);

template <>
struct ScalarTraits<IntOrString> {
    static constexpr const char* kOpenapiType = nullptr;  // an integer or a string
    static constexpr const char* kOpenapiFormat = "int-or-string";
    static constexpr const char* kOpenapiName = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
    static constexpr const char* kExpected = "an integer or a string";
    static constexpr bool kIsMessage = true;
    static bool empty(const IntOrString& value) { return value == IntOrString(); }
    static bool from_json(IntOrString& value, JsonToken token, std::string& error);
    static void append_json(const IntOrString& value, std::string& out);
    static bool from_protobuf(IntOrString& value, std::string_view bytes);
    static void append_protobuf(const IntOrString& value, std::string& out);
};

}  // namespace muster::api
