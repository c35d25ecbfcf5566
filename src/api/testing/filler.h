// Fills objects of any declared type at random, through its tables: what a codec must carry.
#pragma once

#include <cstdint>
#include <string>

#include "api/schema/type_info.h"
#include "base/check.h"
#include "base/prng.h"

namespace muster::api {

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
        CHECK(false, std::string("no sample suits ") + scalar.expected);
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

}  // namespace muster::api
