// Small declared types that show every shape once, for the codec tests.
#pragma once

#include "api/schema/kind_info.h"
#include "api/value/int_or_string.h"
#include "api/value/quantity.h"
#include "api/value/time.h"

namespace muster::api::codec_test {

inline constexpr const char* kPackage = "test.v1";
inline constexpr const char* kGroup = "test.example";
inline constexpr const char* kVersion = "v1";

struct Inner {
    TYPE(Inner, "Inner.")
    FIELD(1, Text, name, "Name.", .required = true)
    FIELD(2, std::int32_t, count, "Count.")
    FIELD(3, std::optional<std::int32_t>, limit, "Limit.")
};
struct Flat {
    TYPE(Flat, "Inlined.")
    FIELD(1, Text, path, "Path.")
    FIELD(2, std::optional<bool>, read_only, "Read only.")
    GATED(3, bool, executable, "Executable.")
};
struct Thing {
    KIND(Thing, "A thing.", .plural = "things")
    FIELD(1, Text, title, "Title.")
    FIELD(2, bool, on, "On.")
    FIELD(3, std::int64_t, big, "Big.")
    FIELD(4, double, ratio, "Ratio.")
    FIELD(5, Bytes, secret, "Secret.")
    FIELD(6, RawJson, raw, "Raw.")
    FIELD(7, Inner, inner, "Inner.")
    FIELD(8, Box<Inner>, boxed, "Boxed.")
    FIELD(9, List<Inner>, items, "Items.", .shared = true)
    FIELD(10, List<std::int32_t>, numbers, "Numbers.")
    FIELD(11, Map<Text>, labels, "Labels.")
    FIELD(12, Map<Quantity>, limits, "Limits.")
    FIELD(13, Map<List<Text>>, extra, "Extra.")
    FIELD(14, Flat, flat, "Flat.", .inlined = true)
    FIELD(15, Time, created, "Created.", .omit_zero = true)
    FIELD(16, std::optional<Time>, ended, "Ended.")
    FIELD(17, Time, probed, "Probed.")
    FIELD(18, std::optional<IntOrString>, port, "Port.")
    FIELD(19, List<Text>, always, "Always.", .required = true)
    GATED(20, Box<Inner>, later, "Later.")
};

}  // namespace muster::api::codec_test
