// Every kind, filled at random through its tables, comes back the same from every format.
#include <gtest/gtest.h>

#include <memory>

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/kind_list.h"
#include "api/schema/walk.h"
#include "api/testing/filler.h"
#include "api/testing/unknown_fields.h"

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

template <class K>
K with_unknown_fields(std::uint64_t seed, UnknownFields::Encoding encoding, std::size_t& added) {
    K object{};
    Filler(seed).fill(K::info(), &object);
    UnknownFields unknown(seed, encoding);
    unknown.add_to(K::info(), &object);
    added += unknown.added();
    return object;
}

template <class K>
std::size_t expect_unknown_fields_survive(std::uint64_t seed) {
    const KindInfo& kind = kind_info<K>();
    SCOPED_TRACE(std::string(kind.kind) + " " + kind.api_version() + ", seed " + std::to_string(seed));
    const DecodeLimits keep{.keep_unknown = true};
    K known{};
    Filler(seed).fill(kind.type(), &known);
    std::size_t added = 0;

    const K in_json = with_unknown_fields<K>(seed, UnknownFields::Encoding::kJson, added);
    const std::string json = to_json(in_json);
    std::size_t written = 0;
    for (std::size_t at = 0; (at = json.find(UnknownFields::kMark, at)) != std::string::npos; ++at) ++written;
    EXPECT_EQ(written, added);
    K from_text{};
    EXPECT_TRUE(decode_json(kind.type(), &from_text, json, keep).ok()) << json;
    EXPECT_EQ(diff(from_text, in_json), "");
    EXPECT_TRUE(from_text == in_json);
    EXPECT_EQ(to_protobuf(in_json), to_protobuf(known)) << "JSON's are not in protobuf";
    K pruned{};
    EXPECT_TRUE(decode_json(kind.type(), &pruned, json).ok());
    EXPECT_TRUE(pruned == known) << "and are dropped unless they are asked for";

    const K in_protobuf = with_unknown_fields<K>(seed, UnknownFields::Encoding::kProtobuf, added);
    const std::string bytes = to_protobuf(in_protobuf);
    K from_wire{};
    EXPECT_TRUE(decode_protobuf(kind.type(), &from_wire, bytes, keep).ok());
    EXPECT_EQ(diff(from_wire, in_protobuf), "");
    EXPECT_EQ(to_protobuf(from_wire), bytes);
    EXPECT_EQ(to_json(in_protobuf), to_json(known)) << "protobuf's are not in JSON";
    K skipped{};
    EXPECT_TRUE(decode_protobuf(kind.type(), &skipped, bytes).ok());
    EXPECT_EQ(diff(skipped, known), "");
    return added;
}

TEST(RoundTrip, UnknownFieldsAtEveryLevelOfEveryKindSurvive) {
    std::size_t survived = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for_each_kind([&]<class K>() { survived += expect_unknown_fields_survive<K>(seed); });
    EXPECT_GT(survived, 10'000u);
}

TEST(RoundTrip, EveryKindComesBackTheSameFromEveryFormat) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) for_each_kind([&]<class K>() { expect_round_trips<K>(seed); });
}

}  // namespace round_trip_test
}  // namespace muster::api
