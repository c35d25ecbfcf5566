// A length of time as the API writes it (Kubernetes' metav1.Duration): "1h2m3.5s", "-1.5h", "100ms", "0s".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/schema/value_info.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::api {

class Span {
public:
    constexpr Span() = default;
    constexpr explicit Span(Duration duration) : nanos_(duration.count()) {}
    // Go's duration language: [-+](number unit)…, units ns us µs ms s m h. Fails with kBadRequest and Go's sentence.
    static Result<Span> parse(std::string_view text);

    constexpr Duration duration() const { return Duration(nanos_); }
    std::string text() const;

    constexpr auto operator<=>(const Span&) const = default;

private:
    std::int64_t nanos_ = 0;
};

template <>
struct ScalarTraits<Span> {
    static constexpr const char* kOpenapiType = "string";
    static constexpr const char* kOpenapiFormat = nullptr;
    static constexpr const char* kOpenapiName = "io.k8s.apimachinery.pkg.apis.meta.v1.Duration";
    static constexpr const char* kExpected = "a duration such as 1h30m or 500ms";
    static constexpr bool kIsMessage = true;
    static bool empty(const Span& span) { return span == Span(); }
    static bool from_json(Span& span, JsonToken token, std::string& error);
    static void append_json(const Span& span, std::string& out);
    static bool from_protobuf(Span& span, std::string_view bytes);
    static void append_protobuf(const Span& span, std::string& out);
};

}  // namespace muster::api
