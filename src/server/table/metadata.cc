#include "server/table/metadata.h"

#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "api/text/wire.h"
#include "base/check.h"

namespace muster::server {
namespace {

using api::meta::ListMeta;
using api::meta::ObjectMeta;

const char* version_of(bool beta) { return beta ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1"; }

void append_type_json(const char* kind, bool beta, std::string& out) {
    out.append(R"({"kind":")").append(kind).append(R"(","apiVersion":")").append(version_of(beta)).append("\",");
}

// PartialObjectMetadata is one field, the metadata.
std::string partial_message(const ObjectMeta& metadata) {
    std::string bytes;
    api::append_protobuf(ObjectMeta::info(), &metadata, bytes);
    std::string message;
    api::append_field(1, bytes, message);
    return message;
}

}  // namespace

const ObjectMeta& metadata_of(const api::KindInfo& kind, const void* object) {
    const api::FieldInfo* field = kind.type().find("metadata");
    CHECK(field && field->value->type == &ObjectMeta::info, kind.kind);
    return *reinterpret_cast<const ObjectMeta*>(static_cast<const char*>(object) + field->offset);
}

void append_partial_json(const ObjectMeta& metadata, bool beta, std::string& out) {
    append_type_json("PartialObjectMetadata", beta, out);
    out += R"("metadata":)";
    api::append_json(ObjectMeta::info(), &metadata, out);
    out += '}';
}

void append_partial_protobuf(const ObjectMeta& metadata, bool beta, std::string& out) {
    api::append_envelope(version_of(beta), "PartialObjectMetadata", partial_message(metadata), out);
}

void append_partial_list_json(const ListMeta& list, std::span<const ObjectMeta* const> items, bool beta,
                              std::string& out) {
    append_type_json("PartialObjectMetadataList", beta, out);
    out += R"("metadata":)";
    api::append_json(ListMeta::info(), &list, out);
    out += R"(,"items":[)";
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += ',';
        append_partial_json(*items[i], beta, out);
    }
    out += "]}";
}

void append_partial_list_protobuf(const ListMeta& list, std::span<const ObjectMeta* const> items, bool beta,
                                  std::string& out) {
    std::string list_bytes;
    api::append_protobuf(ListMeta::info(), &list, list_bytes);
    std::string raw;
    api::append_field(1, list_bytes, raw);
    for (const ObjectMeta* item : items) api::append_field(2, partial_message(*item), raw);
    api::append_envelope(version_of(beta), "PartialObjectMetadataList", raw, out);
}

}  // namespace muster::server
