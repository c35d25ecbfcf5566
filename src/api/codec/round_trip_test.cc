// Every kind, filled at random through its tables, comes back the same from every format.
#include <gtest/gtest.h>

#include <memory>

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/kind_list.h"
#include "api/schema/walk.h"
#include "base/prng.h"

namespace muster::api {
namespace {

class Filler {
public:
    explicit Filler(std::uint64_t seed) : random_(seed) {}

    void fill(const TypeInfo& type, void* object) {
        for (const FieldInfo& field : type.json_fields)
            if (random_.below(100) < density_) fill(*field.value, static_cast<char*>(object) + field.offset);
    }

private:
    void fill(const ValueInfo& info, void* value) {
        switch (info.shape) {
            case Shape::kBool: *static_cast<bool*>(value) = random_.below(2) == 1; return;
            case Shape::kInt32: *static_cast<std::int32_t*>(value) = static_cast<std::int32_t>(random_.next()); return;
            case Shape::kInt64: *static_cast<std::int64_t*>(value) = static_cast<std::int64_t>(random_.next()); return;
            case Shape::kDouble: *static_cast<double*>(value) = static_cast<double>(random_.below(1000)) / 8; return;
            case Shape::kText: *static_cast<Text*>(value) = text(); return;
            case Shape::kBytes: static_cast<Bytes*>(value)->bytes = text() + std::string("\0\xff", 2); return;
            case Shape::kRaw: static_cast<RawJson*>(value)->json = R"({"a":[1,"x",null],"b":{}})"; return;
            case Shape::kScalar: return fill_scalar(*info.scalar, value);
            case Shape::kStruct: return fill(info.type(), value);
            case Shape::kOptional:
            case Shape::kBox: return fill(*info.element, info.emplace(value));
            case Shape::kList:
                for (std::uint64_t i = random_.below(3) + 1; i > 0; --i) fill(*info.element, info.append(value));
                return;
            case Shape::kMap:
                for (std::uint64_t i = random_.below(3) + 1; i > 0; --i) {
                    bool added = false;
                    void* entry = info.insert(value, text().view(), &added);
                    info.element->reset(entry);
                    fill(*info.element, entry);
                }
                return;
        }
    }

    // Tries samples until the scalar takes one.
    void fill_scalar(const ScalarOps& scalar, void* value) {
        using Kind = JsonToken::Kind;
        static constexpr JsonToken kSamples[] = {
            {Kind::kString, "2026-03-01T12:00:00.123456Z"},
            {Kind::kString, "2026-03-01T12:00:00Z"},
            {Kind::kString, "1536Mi"},
            {Kind::kString, "1h2m3s"},
            {Kind::kNumber, "8080"},
            {Kind::kString, "http"},
        };
        const std::size_t first = random_.below(std::size(kSamples));
        for (std::size_t i = 0; i < std::size(kSamples); ++i) {
            std::string error;
            if (scalar.from_json(value, kSamples[(first + i) % std::size(kSamples)], error)) return;
        }
        ADD_FAILURE() << "no sample suits " << scalar.expected;
    }

    Text text() {
        static constexpr const char* kTexts[] = {
            "a",     "seven77",          "eight888", "a longer text with \"quotes\" and\nlines",
            "Größe", "example.com/name", "x\\y",     "tab\tand \x01 control"};
        return kTexts[random_.below(std::size(kTexts))];
    }

    Prng random_;
    std::uint64_t density_ = 70;
};

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

}  // namespace
}  // namespace muster::api
