// Puts random fields that a type does not know into the structs of an object, at every level: what a codec must carry
// with `keep_unknown`.
#pragma once

#include <cstdint>
#include <string>

#include "api/schema/residue.h"
#include "api/schema/type_info.h"
#include "api/text/json_text.h"
#include "api/text/wire.h"
#include "base/prng.h"

namespace muster::api {

class UnknownFields {
public:
    enum class Encoding { kJson, kProtobuf };

    UnknownFields(std::uint64_t seed, Encoding encoding) : random_(seed), encoding_(encoding) {}

    // The object must not share its lists with another: they are changed in place.
    // In JSON, an inlined struct has no place of its own: its fields stand in the struct around it.
    void add_to(const TypeInfo& type, void* object) {
        for (const FieldInfo& field : type.fields) {
            if (field.options.inlined && encoding_ == Encoding::kJson) {
                add_to_members(field.value->type(), static_cast<char*>(object) + field.offset);
            } else {
                add_to_value(*field.value, static_cast<char*>(object) + field.offset);
            }
        }
        add_fields(type, residue_of(object));
    }

    std::size_t added() const { return added_; }
    // The part of every added JSON name that no known field has.
    static constexpr std::string_view kMark = "unknown-";

private:
    void add_to_members(const TypeInfo& type, void* object) {
        for (const FieldInfo& field : type.fields)
            add_to_value(*field.value, static_cast<char*>(object) + field.offset);
    }

    void add_to_value(const ValueInfo& info, void* value) {
        switch (info.shape) {
            case Shape::kStruct: return add_to(info.type(), value);
            case Shape::kOptional:
            case Shape::kBox:
                if (info.get(value)) add_to_value(*info.element, info.emplace(value));
                return;
            // The tables have no way to change an element.
            case Shape::kList:
            case Shape::kMap:
                for (std::size_t i = 0; i < info.count(value); ++i)
                    add_to_value(*info.element, const_cast<void*>(info.at(value, i)));
                return;
            default: return;
        }
    }

    void add_fields(const TypeInfo& type, Residue& residue) {
        for (std::uint64_t count = random_.below(4); count > 0; --count) {
            residue.add(encoding_ == Encoding::kJson ? json_field() : protobuf_field(type));
            ++added_;
        }
    }

    std::string json_field() {
        static constexpr const char* kNames[] = {"", "name", "spec", "x \"quoted\" \\ \n", "größe", "\x01"};
        std::string field = ",";
        append_json_string(std::string(kMark) + kNames[random_.below(std::size(kNames))], field);
        field += ':';
        append_json(field, 0);
        return field;
    }

    void append_json(std::string& out, int depth) {
        static constexpr const char* kScalars[] = {"null",
                                                   "true",
                                                   "false",
                                                   "0",
                                                   "-1.50",
                                                   "1e3",
                                                   "123456789012345678901234567890",
                                                   "\"\"",
                                                   "\"{[,\\\"]}\"",
                                                   "\"a text that is longer than a word\""};
        const std::uint64_t choice = random_.below(depth < 3 ? 6 : 4);
        if (choice < 4) {
            out += kScalars[random_.below(std::size(kScalars))];
            return;
        }
        const bool is_object = choice == 4;
        out += is_object ? '{' : '[';
        const std::uint64_t count = random_.below(3);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (i > 0) out += ',';
            if (is_object) out += i == 0 ? "\"kind\":" : "\"b\":";
            append_json(out, depth + 1);
        }
        out += is_object ? '}' : ']';
    }

    std::string protobuf_field(const TypeInfo& type) {
        std::uint32_t number = 0;
        do number = static_cast<std::uint32_t>(1 + random_.below(random_.below(2) == 0 ? 100 : (1u << 29) - 1));
        while (type.find_number(number));
        std::string field;
        switch (random_.below(4)) {
            case 0: append_field(number, random_.next() >> random_.below(64), field); break;
            case 1:
                append_tag(number, Wire::kFixed64, field);
                field.append(8, static_cast<char>(random_.below(256)));
                break;
            case 2:
                append_tag(number, Wire::kFixed32, field);
                field.append(4, static_cast<char>(random_.below(256)));
                break;
            default:
                append_field(number, std::string(random_.below(200), static_cast<char>(random_.below(256))), field);
        }
        return field;
    }

    Prng random_;
    Encoding encoding_;
    std::size_t added_ = 0;
};

}  // namespace muster::api
