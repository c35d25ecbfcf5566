#include "api/codec/envelope.h"

#include "api/codec/encode.h"
#include "api/text/wire.h"

namespace muster::api {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);

Error malformed() { return {Code::kBadRequest, "malformed protobuf: the envelope cannot be read"}; }

// Calls `on_field` for each length-delimited field; others are skipped.
template <class OnField>
bool each_field(std::string_view message, OnField on_field) {
    WireReader reader(message);
    while (!reader.done()) {
        std::uint32_t number = 0;
        Wire wire{};
        std::string_view bytes;
        if (!reader.tag(number, wire)) return false;
        if (wire != Wire::kLength) {
            if (!reader.skip(wire)) return false;
            continue;
        }
        if (!reader.length(bytes)) return false;
        on_field(number, bytes);
    }
    return true;
}

}  // namespace

Result<Envelope> open_envelope(std::string_view bytes) {
    if (bytes.substr(0, kMagic.size()) != kMagic)
        return Error{Code::kBadRequest,
                     "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"};
    Envelope envelope;
    std::string_view type_meta;
    std::string_view encoding;
    const bool read = each_field(bytes.substr(kMagic.size()), [&](std::uint32_t number, std::string_view field) {
        if (number == 1) type_meta = field;
        if (number == 2) envelope.raw = field;
        if (number == 3) encoding = field;
    });
    if (!read) return malformed();
    if (!encoding.empty())
        return Error{Code::kUnsupportedMediaType, "a protobuf body with contentEncoding is not supported"};
    const bool named = each_field(type_meta, [&](std::uint32_t number, std::string_view field) {
        if (number == 1) envelope.api_version = field;
        if (number == 2) envelope.kind = field;
    });
    if (!named) return malformed();
    return envelope;
}

void append_envelope(const KindInfo& kind, const void* object, std::string& out) {
    std::string raw;
    append_protobuf(kind.type(), object, raw);
    append_envelope(kind.api_version(), kind.kind, raw, out);
}

void append_envelope(std::string_view api_version, std::string_view kind, std::string_view raw, std::string& out) {
    std::string type_meta;
    append_field(1, api_version, type_meta);
    append_field(2, kind, type_meta);
    out += kMagic;
    append_field(1, type_meta, out);
    append_field(2, raw, out);
    append_field(3, std::string_view(), out);
    append_field(4, std::string_view(), out);
}

}  // namespace muster::api
