// Kubernetes' protobuf from the declarations. A value field (no pointer in Go) is left out when zero: readers cannot
// tell, and records stay small. An optional or boxed one is written whenever it is set.
#include <bit>

#include "api/codec/encode.h"
#include "api/schema/residue.h"
#include "api/schema/walk.h"
#include "api/schema/word.h"
#include "api/text/wire.h"

namespace muster::api {
namespace {

class Encoder {
public:
    ReverseWriter out;
    PartSink* parts = nullptr;
    Dialect dialect = Dialect::kMuster;

    void message(const TypeInfo& type, const void* object, int except = 0) {
        if (const Residue& residue = residue_of(object); !residue.empty()) [[unlikely]]
            unknown_fields(residue);
        for (auto field = type.fields.rbegin(); field != type.fields.rend(); ++field)
            if (field->number != except) member(*field, object);
    }
    void member(const FieldInfo& field, const void* object) {
        const void* value = static_cast<const char*>(object) + field.offset;
        if (is_zero_quick(*field.value, value) || !field.is_in(dialect)) return;
        if (parts && field.options.shared) {
            out.varint(parts->part(*field.value, value));
            out.tag(field.number, Wire::kPart);
        } else {
            this->field(field.number, *field.value, value);
        }
    }

    // Writes a field's value with its tag, as often as it has elements.
    void field(int number, const ValueInfo& info, const void* value) {
        switch (info.shape) {
            case Shape::kBool: return varint(number, *static_cast<const bool*>(value) ? 1 : 0);
            case Shape::kInt32:
                return varint(number,
                              static_cast<std::uint64_t>(std::int64_t{*static_cast<const std::int32_t*>(value)}));
            case Shape::kInt64:
                return varint(number, static_cast<std::uint64_t>(*static_cast<const std::int64_t*>(value)));
            case Shape::kDouble:
                out.fixed64(std::bit_cast<std::uint64_t>(*static_cast<const double*>(value)));
                return out.tag(number, Wire::kFixed64);
            case Shape::kText: return bytes(number, static_cast<const Text*>(value)->view());
            case Shape::kBytes: return bytes(number, static_cast<const Bytes*>(value)->bytes.view());
            case Shape::kOptional:
            case Shape::kBox:
                if (const void* inner = info.get(value)) field(number, *info.element, inner);
                return;
            case Shape::kList:
                if (info.type) return nested(number, [&] { elements(1, info, value); });
                return elements(number, info, value);
            case Shape::kMap:
                for (std::size_t i = info.count(value); i-- > 0;) entry(number, info, value, i);
                return;
            default: return nested(number, [&] { body(info, value); });
        }
    }

private:
    // Not inlined, so that messages without them do not pay for it.
    [[gnu::noinline]] void unknown_fields(const Residue& residue) { out.bytes(residue.protobuf()); }

    void elements(int number, const ValueInfo& info, const void* list) {
        for (std::size_t i = info.count(list); i-- > 0;) field(number, *info.element, info.at(list, i));
    }

    // Cheap test that catches what must not be written; an empty struct costs its walk and two bytes at most.
    static bool is_zero_quick(const ValueInfo& info, const void* value) {
        if (is_plainly_empty(info, value)) return true;
        return info.shape != Shape::kStruct && info.shape != Shape::kText && is_zero(info, value);
    }

    void body(const ValueInfo& info, const void* value) {
        if (info.shape == Shape::kStruct) {
            message(info.type(), value);
        } else if (info.shape == Shape::kRaw) {
            bytes(1, static_cast<const RawJson*>(value)->json.view());
        } else {
            scratch_.clear();
            info.scalar->append_protobuf(value, scratch_);
            out.bytes(scratch_);
        }
    }

    // Map values that are lists are wrapped in a message of their own: protobuf has no map of repeated.
    void entry(int number, const ValueInfo& info, const void* map, std::size_t i) {
        nested(number, [&] {
            const void* value = info.at(map, i);
            if (info.element->shape == Shape::kList) {
                nested(2, [&] { field(1, *info.element, value); });
            } else {
                field(2, *info.element, value);
            }
            bytes(1, info.key_at(map, i));
        });
    }

    template <class Body>
    void nested(int number, Body body) {
        const std::size_t before = out.size();
        body();
        out.varint(out.size() - before);
        out.tag(number, Wire::kLength);
    }
    void varint(int number, std::uint64_t value) {
        out.varint(value);
        out.tag(number, Wire::kVarint);
    }
    void bytes(int number, std::string_view bytes) {
        out.bytes(bytes);
        out.varint(bytes.size());
        out.tag(number, Wire::kLength);
    }

    std::string scratch_;
};

// One growing buffer per thread: records are encoded by the hundred thousand.
class ThreadEncoder {
public:
    explicit ThreadEncoder(PartSink* parts, Dialect dialect = Dialect::kMuster) {
        thread_local Encoder shared;
        encoder_ = &shared;
        encoder_->out.clear();
        encoder_->parts = parts;
        encoder_->dialect = dialect;
    }
    Encoder* operator->() { return encoder_; }

private:
    Encoder* encoder_;
};

}  // namespace

void append_protobuf(const TypeInfo& type, const void* object, std::string& out, PartSink* parts, Dialect dialect) {
    ThreadEncoder encoder(parts, dialect);
    encoder->message(type, object);
    out += encoder->out.view();
}

void append_protobuf_without(const TypeInfo& type, const FieldInfo& field, const void* object, std::string& out,
                             PartSink* parts) {
    ThreadEncoder encoder(parts);
    encoder->message(type, object, field.number);
    out += encoder->out.view();
}

void append_protobuf_field(const FieldInfo& field, const void* object, std::string& out, PartSink* parts) {
    ThreadEncoder encoder(parts);
    encoder->member(field, object);
    out += encoder->out.view();
}

// With a buffer of its own: a sink may ask for a part's bytes in the middle of a message.
void append_part(const ValueInfo& info, const void* value, std::string& out) {
    Encoder encoder;
    encoder.field(1, info, value);
    out += encoder.out.view();
}

}  // namespace muster::api
