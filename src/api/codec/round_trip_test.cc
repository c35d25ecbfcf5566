// Every kind, filled at random through its tables, comes back the same from every format.
#include <gtest/gtest.h>

#include <memory>

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/kind_list.h"
#include "api/schema/walk.h"
#include "api/testing/filler.h"

namespace muster::api {
namespace round_trip_test {

template <class K>
void expect_round_trips(std::uint64_t seed) {
    const KindInfo& kind = kind_info<K>();
    SCOPED_TRACE(std::string(kind.kind) + " " + kind.api_version() + ", seed " + std::to_string(seed));
    K object{};
    Filler(seed).fill(kind.type(), &object);

    std::string json;
    append_json(kind.type(), &object, json, &kind);
    K from_text{};
    const auto decoded = decode_json(kind.type(), &from_text, json);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message << "\n" << json;
    EXPECT_TRUE(decoded->complaints.empty()) << decoded->complaints[0];
    EXPECT_EQ(decoded->kind, kind.kind);
    EXPECT_EQ(decoded->api_version, kind.api_version());
    EXPECT_TRUE(list_differences(kind.type(), &from_text, &object).empty())
        << list_differences(kind.type(), &from_text, &object)[0];
    EXPECT_TRUE(from_text == object);

    K from_tree{};
    ASSERT_TRUE(decode_dom(kind.type(), &from_tree, to_dom(kind.type(), &object, &kind).value()).ok());
    EXPECT_TRUE(from_tree == object);

    std::string protobuf;
    append_protobuf(kind.type(), &object, protobuf);
    K from_wire{};
    const auto read = decode_protobuf(kind.type(), &from_wire, protobuf);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(list_differences(kind.type(), &from_wire, &object).empty())
        << list_differences(kind.type(), &from_wire, &object)[0];

    std::string again;
    append_protobuf(kind.type(), &from_wire, again);
    EXPECT_EQ(again, protobuf);
}

TEST(RoundTrip, EveryKindComesBackTheSameFromEveryFormat) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) for_each_kind([&]<class K>() { expect_round_trips<K>(seed); });
}

}  // namespace round_trip_test
}  // namespace muster::api
