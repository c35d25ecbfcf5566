// Points in time as the API writes them. `Time` counts whole seconds: "2006-01-02T15:04:05Z". `MicroTime` counts
// microseconds: "2006-01-02T15:04:05.000000Z". Both are null until set; null prints as JSON null. As in Go, the first
// second of the year 1 and null are one and the same.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/schema/value_info.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::api {

class Time {
public:
    constexpr Time() = default;
    // Fractions of a second are dropped, towards the past.
    static Time from_instant(Instant instant) { return from_unix_seconds(instant.unix_seconds()); }
    // CHECKs that the year is 1 to 9999.
    static Time from_unix_seconds(std::int64_t seconds);
    // RFC 3339 with any offset; a fraction is dropped. Fails with kBadRequest and the expected form.
    static Result<Time> parse(std::string_view text);

    bool is_null() const { return since_year_one_ == 0; }
    explicit operator bool() const { return !is_null(); }
    std::int64_t unix_seconds() const;
    // Stops at the limits of Instant: the years 1677 and 2262. Null gives the earliest.
    Instant instant() const;
    std::string text() const;  // empty for null
    void append_text(std::string& out) const;

    // Null is before every other time.
    constexpr auto operator<=>(const Time&) const = default;

private:
    std::int64_t since_year_one_ = 0;  // seconds; 0 is null
};
static_assert(sizeof(Time) == 8);

class MicroTime {
public:
    constexpr MicroTime() = default;
    static MicroTime from_instant(Instant instant);
    // CHECKs that the year is 1 to 9999.
    static MicroTime from_unix_micros(std::int64_t micros);
    // RFC 3339 with any offset and, as Kubernetes demands, six digits of fraction. Fails with kBadRequest.
    static Result<MicroTime> parse(std::string_view text);

    bool is_null() const { return since_year_one_ == 0; }
    explicit operator bool() const { return !is_null(); }
    std::int64_t unix_micros() const;
    Instant instant() const;
    std::string text() const;
    void append_text(std::string& out) const;

    constexpr auto operator<=>(const MicroTime&) const = default;

private:
    std::int64_t since_year_one_ = 0;  // microseconds; 0 is null
};
static_assert(sizeof(MicroTime) == 8);

template <>
struct ScalarTraits<Time> {
    static constexpr const char* kOpenapiType = "string";
    static constexpr const char* kOpenapiFormat = "date-time";
    static constexpr const char* kOpenapiName = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
    static constexpr const char* kExpected = "a time such as 2006-01-02T15:04:05Z";
    static constexpr bool kIsMessage = true;
    static bool empty(const Time& time) { return time.is_null(); }
    static bool from_json(Time& time, JsonToken token, std::string& error);
    static void append_json(const Time& time, std::string& out);
    static bool from_protobuf(Time& time, std::string_view bytes);
    static void append_protobuf(const Time& time, std::string& out);
};

template <>
struct ScalarTraits<MicroTime> {
    static constexpr const char* kOpenapiType = "string";
    static constexpr const char* kOpenapiFormat = "date-time";
    static constexpr const char* kOpenapiName = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
    static constexpr const char* kExpected = "a time such as 2006-01-02T15:04:05.000000Z";
    static constexpr bool kIsMessage = true;
    static bool empty(const MicroTime& time) { return time.is_null(); }
    static bool from_json(MicroTime& time, JsonToken token, std::string& error);
    static void append_json(const MicroTime& time, std::string& out);
    static bool from_protobuf(MicroTime& time, std::string_view bytes);
    static void append_protobuf(const MicroTime& time, std::string& out);
};

}  // namespace muster::api
