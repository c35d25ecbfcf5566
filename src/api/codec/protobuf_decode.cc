// decode.h's protobuf: messages into declared members, shared parts from where they are kept.
#include <algorithm>
#include <bit>
#include <cmath>

#include "api/codec/decode.h"
#include "api/codec/parts.h"
#include "api/codec/typed_sink.h"
#include "api/schema/residue.h"
#include "api/schema/word.h"
#include "api/text/utf8.h"
#include "api/text/wire.h"
#include "base/check.h"
#include "base/intern.h"

namespace muster::api {
namespace {

class Decoder {
public:
    // What we wrote ourselves has no limit.
    explicit Decoder(PartLookup* parts, const DecodeLimits* limits = nullptr)
        : parts_(parts),
          limits_(limits),
          keep_unknown_(limits && limits->keep_unknown),
          dialect_(limits ? limits->dialect : Dialect::kMuster),
          elements_bytes_left_(limits ? limits->elements_bytes_max : SIZE_MAX) {}

    Error error;

    bool message(const TypeInfo& type, void* object, std::string_view bytes) {
        WireReader reader(bytes);
        bool has_unknown = false;
        while (!reader.done()) {
            std::uint32_t number = 0;
            Wire wire{};
            if (!reader.tag(number, wire)) return malformed(type.name, "a broken tag");
            const FieldInfo* field = type.find_number(number);
            if (is_unknown(field)) {
                if (!reader.skip(wire)) return malformed(type.name, "a broken unknown field");
                has_unknown = true;
                continue;
            }
            void* target = static_cast<char*>(object) + field->offset;
            if (const Shape shape = field->value->shape; shape == Shape::kList || shape == Shape::kMap)
                make_room(*field->value, target, number, wire, reader);
            const bool read =
                wire == Wire::kPart ? part(*field, target, reader) : value(*field->value, target, wire, reader);
            if (!read) return error.message.empty() ? malformed(type.name, field->json) : false;
        }
        return !has_unknown || !keep_unknown_ || keep_unknown(type, object, bytes);
    }

    // Reads one occurrence of a field into its target.
    bool value(const ValueInfo& info, void* target, Wire wire, WireReader& reader) {
        std::uint64_t number = 0;
        std::string_view bytes;
        switch (info.shape) {
            case Shape::kOptional:
            case Shape::kBox: return value(*info.element, info.emplace(target), wire, reader);
            case Shape::kList:
                if (!info.type) return element(info, target, wire, reader);
                return wire == Wire::kLength && reader.length(bytes) && wrapped_list(info, target, bytes);
            case Shape::kBool:
                if (wire != Wire::kVarint || !reader.varint(number)) return false;
                *static_cast<bool*>(target) = number != 0;
                return true;
            case Shape::kInt32:
                if (wire != Wire::kVarint || !reader.varint(number)) return false;
                *static_cast<std::int32_t*>(target) = static_cast<std::int32_t>(number);
                return true;
            case Shape::kInt64:
                if (wire != Wire::kVarint || !reader.varint(number)) return false;
                *static_cast<std::int64_t*>(target) = static_cast<std::int64_t>(number);
                return true;
            case Shape::kDouble:
                if (wire != Wire::kFixed64 || !reader.fixed64(number)) return false;
                *static_cast<double*>(target) = std::bit_cast<double>(number);
                return std::isfinite(*static_cast<double*>(target));
            default: break;
        }
        if (wire != Wire::kLength || !reader.length(bytes)) return false;
        switch (info.shape) {
            case Shape::kText: *static_cast<Text*>(target) = text(bytes); return true;
            case Shape::kBytes: static_cast<Bytes*>(target)->bytes = Text(bytes); return true;
            case Shape::kRaw: return raw(*static_cast<RawJson*>(target), bytes);
            case Shape::kScalar: return info.scalar->from_protobuf(target, bytes);
            case Shape::kStruct: return message(info.type(), target, bytes);
            case Shape::kMap: return entry(info, target, bytes);
            default: return false;
        }
    }

private:
    // For as many elements as follow one another: what is read from disk is kept for long, so it gets the room it needs
    // and no more.
    void make_room(const ValueInfo& info, void* target, std::uint32_t number, Wire wire, WireReader reader) {
        if (wire != Wire::kLength || word_of(target) != 0) return;
        std::size_t count = 0;
        std::uint32_t next_number = number;
        for (Wire next_wire = wire; next_number == number && next_wire == Wire::kLength && reader.skip(next_wire);) {
            ++count;
            if (reader.done() || !reader.tag(next_number, next_wire)) break;
        }
        if (count > 1 && count <= elements_bytes_left_ / cost_of(info)) info.reserve(target, count);
    }

    bool is_unknown(const FieldInfo* field) const { return !field || !field->is_in(dialect_); }
    // Of a message that has been read. Not inlined, so that other messages do not pay for it.
    [[gnu::noinline]] bool keep_unknown(const TypeInfo& type, void* object, std::string_view bytes) {
        std::string unknown;
        WireReader reader(bytes);
        while (!reader.done()) {
            const WireReader begin = reader;
            std::uint32_t number = 0;
            Wire wire{};
            CHECK(reader.tag(number, wire) && reader.skip(wire), "the field was read before");
            if (is_unknown(type.find_number(number))) unknown += begin.until(reader);
        }
        Residue& residue = residue_of(object);
        residue.add(unknown);
        return charge(residue.protobuf().size());
    }

    static std::size_t cost_of(const ValueInfo& info) { return info.element->size + sizeof(Text); }
    // For one more element of a list or map.
    bool charge(const ValueInfo& info, const void* container) {
        if (!limits_) return true;
        if (has_room(info, info.count(container), *limits_)) return charge(cost_of(info));
        error = too_many_elements();
        return false;
    }
    bool charge(std::size_t bytes) {
        if (bytes > elements_bytes_left_) {
            error = too_many_elements();
            return false;
        }
        elements_bytes_left_ -= bytes;
        return true;
    }

    bool element(const ValueInfo& info, void* list, Wire wire, WireReader& reader) {
        const Shape shape = info.element->shape;
        const bool packed =
            wire == Wire::kLength && (shape == Shape::kInt32 || shape == Shape::kInt64 || shape == Shape::kBool);
        if (!packed) return charge(info, list) && value(*info.element, info.append(list), wire, reader);
        std::string_view bytes;
        if (!reader.length(bytes)) return false;
        WireReader inner(bytes);
        while (!inner.done())
            if (!charge(info, list) || !value(*info.element, info.append(list), Wire::kVarint, inner)) return false;
        return true;
    }

    bool entry(const ValueInfo& info, void* map, std::string_view bytes) {
        Text key;
        std::string_view value_bytes;
        WireReader reader(bytes);
        WireReader found{std::string_view()};
        Wire found_wire = Wire::kLength;
        bool has_value = false;
        while (!reader.done()) {
            std::uint32_t number = 0;
            Wire wire{};
            if (!reader.tag(number, wire)) return false;
            if (number == 1) {
                if (wire != Wire::kLength || !reader.length(value_bytes)) return false;
                key = text(value_bytes);
                continue;
            }
            if (number == 2) {  // read after the key is known, wherever it stands
                found = reader;
                found_wire = wire;
                has_value = true;
            }
            if (!reader.skip(wire)) return false;
        }
        if (!charge(info, map)) return false;
        bool added = true;
        void* target = info.insert(map, key, &added);
        const std::size_t count = info.count(map);
        const bool moved = limits_ && added && info.at(map, count - 1) != target;
        if (moved && (entry_moves_ += count) > limits_->entry_moves_max) {
            error = too_many_elements();
            return false;
        }
        info.element->reset(target);
        if (!has_value) return true;
        if (info.element->shape != Shape::kList) return value(*info.element, target, found_wire, found);
        return found.length(value_bytes) && wrapped_list(*info.element, target, value_bytes);
    }

    // A message whose first field is the list.
    bool wrapped_list(const ValueInfo& info, void* list, std::string_view bytes) {
        WireReader inner(bytes);
        while (!inner.done()) {
            std::uint32_t number = 0;
            Wire wire{};
            if (!inner.tag(number, wire)) return false;
            if (!(number == 1 ? element(info, list, wire, inner) : inner.skip(wire))) return false;
        }
        return true;
    }

    bool raw(RawJson& target, std::string_view bytes) {
        WireReader reader(bytes);
        while (!reader.done()) {
            std::uint32_t number = 0;
            Wire wire{};
            std::string_view json;
            if (!reader.tag(number, wire)) return false;
            if (number != 1) {
                if (!reader.skip(wire)) return false;
                continue;
            }
            if (wire != Wire::kLength || !reader.length(json)) return false;
            if (!raw_text(target, json)) return false;
        }
        return true;
    }

    // Printed as it is ever after, so that it must be JSON, and no deeper than fits into what is around it.
    bool raw_text(RawJson& target, std::string_view json) {
        if (!limits_ || json.empty()) {
            target.json = text(json);
            return true;
        }
        DecodeLimits within = *limits_;
        within.depth_max -= std::min(within.depth_max, kTypedDepthMax);
        Result<RawJson> read = decode_raw_json(json, within);
        if (read.ok()) {
            target = std::move(*read);
            return true;
        }
        if (read.error().code == Code::kTooLarge) error = std::move(read).error();
        return false;
    }

    bool part(const FieldInfo& field, void* target, WireReader& reader) {
        std::uint64_t number = 0;
        if (!parts_ || !reader.varint(number)) return false;
        Result<void> adopted = parts_->adopt(number, *field.value, target);
        if (adopted.ok()) return true;
        error = std::move(adopted).error();
        return false;
    }

    static Text text(std::string_view bytes) { return is_utf8(bytes) ? intern(bytes) : Text(repair_utf8(bytes)); }

    bool malformed(std::string_view type, std::string_view what) {
        error = {Code::kBadRequest,
                 "malformed protobuf: " + std::string(type) + " has " + std::string(what) + " that cannot be read"};
        return false;
    }

    PartLookup* parts_;
    const DecodeLimits* limits_;
    const bool keep_unknown_;
    const Dialect dialect_;
    std::size_t elements_bytes_left_;
    std::size_t entry_moves_ = 0;
};

}  // namespace

Result<void> decode_protobuf(const TypeInfo& type, void* object, std::string_view bytes, const DecodeLimits& limits) {
    Decoder decoder(nullptr, &limits);
    if (!decoder.message(type, object, bytes)) return std::move(decoder.error);
    return {};
}

Result<void> decode_record(const TypeInfo& type, void* object, std::string_view bytes, PartLookup* parts) {
    Decoder decoder(parts);
    if (!decoder.message(type, object, bytes)) return std::move(decoder.error);
    return {};
}

Result<void> decode_part(const ValueInfo& info, void* value, std::string_view bytes) {
    Decoder decoder(nullptr);
    WireReader reader(bytes);
    while (!reader.done()) {
        std::uint32_t number = 0;
        Wire wire{};
        if (!reader.tag(number, wire) || number != 1 || !decoder.value(info, value, wire, reader))
            return Error{Code::kCorrupt, "a shared part cannot be read"};
    }
    return {};
}

}  // namespace muster::api
