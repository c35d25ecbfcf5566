#include "server/rest/encode_answer.h"

#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "api/codec/yaml_encode.h"
#include "api/text/json_text.h"
#include "api/text/wire.h"
#include "server/table/metadata.h"

namespace muster::server {
namespace {

using api::KindInfo;
using api::meta::ListMeta;

// JSON that was written compactly, in the encoding that was asked for. People get theirs indented, and a line's end.
std::string finish_json(std::string json, const AnswerForm& form) {
    if (form.encoding == Encoding::kYaml) return api::json_to_yaml(json);
    if (form.pretty) json = api::indent_json(json);
    json += '\n';
    return json;
}

TableOptions table_options(const Presentation& as) { return {as.now, as.include, as.form.beta, true}; }

std::string list_json(const KindInfo& kind, const ListMeta& list, const std::vector<KindObjectPtr>& items) {
    std::string out = "{\"kind\":\"";
    out.append(kind.kind).append("List\",\"apiVersion\":\"").append(kind.api_version()).append("\",\"metadata\":");
    api::append_json(ListMeta::info(), &list, out);
    out += ",\"items\":[";
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i != 0) out += ',';
        // As upstream: the items of custom resources say what they are.
        api::append_json(kind.type(), items[i]->data(), out, kind.is_defined() ? &kind : nullptr);
    }
    out += "]}";
    return out;
}

std::string list_protobuf(const KindInfo& kind, const ListMeta& list, const std::vector<KindObjectPtr>& items) {
    std::string message;
    std::string raw;
    api::append_protobuf(ListMeta::info(), &list, message);
    api::append_field(1, message, raw);
    for (const KindObjectPtr& item : items) {
        message.clear();
        api::append_protobuf(kind.type(), item->data(), message);
        api::append_field(2, message, raw);
    }
    std::string out;
    api::append_envelope(kind.api_version(), std::string(kind.kind) + "List", raw, out);
    return out;
}

std::vector<const api::meta::ObjectMeta*> metadata_of_all(const std::vector<KindObjectPtr>& items) {
    std::vector<const api::meta::ObjectMeta*> all;
    all.reserve(items.size());
    for (const KindObjectPtr& item : items) all.push_back(&item->metadata());
    return all;
}

}  // namespace

std::string encode_kind(const KindInfo& kind, const void* object, const AnswerForm& form) {
    std::string out;
    if (form.encoding == Encoding::kProtobuf) {
        api::append_envelope(kind, object, out);
        return out;
    }
    api::append_json(kind.type(), object, out, &kind);
    return finish_json(std::move(out), form);
}

std::string encode_object(const KindObject& object, const Presentation& as) {
    std::string out;
    switch (as.form.form) {
        case Form::kObject: return encode_kind(object.kind(), object.data(), as.form);
        case Form::kTable: append_table(object.kind(), object.data(), table_options(as), out); break;
        case Form::kPartialMetadata:
        case Form::kPartialMetadataList:
            if (as.form.encoding == Encoding::kProtobuf) {
                append_partial_protobuf(object.metadata(), as.form.beta, out);
                return out;
            }
            append_partial_json(object.metadata(), as.form.beta, out);
            break;
    }
    return finish_json(std::move(out), as.form);
}

std::string encode_list(const KindInfo& kind, const ListMeta& list, const std::vector<KindObjectPtr>& items,
                        const Presentation& as) {
    std::string out;
    const bool protobuf = as.form.encoding == Encoding::kProtobuf;
    switch (as.form.form) {
        case Form::kObject:
            if (protobuf) return list_protobuf(kind, list, items);
            out = list_json(kind, list, items);
            break;
        case Form::kTable: {
            TableWriter table(kind, list, table_options(as), out);
            for (const KindObjectPtr& item : items) table.row(item->data());
            table.finish();
            break;
        }
        case Form::kPartialMetadata:
        case Form::kPartialMetadataList: {
            const auto all = metadata_of_all(items);
            if (protobuf) {
                append_partial_list_protobuf(list, all, as.form.beta, out);
                return out;
            }
            append_partial_list_json(list, all, as.form.beta, out);
            break;
        }
    }
    return finish_json(std::move(out), as.form);
}

std::string encode_status(const api::meta::Status& status, const AnswerForm& form) {
    return encode_kind(api::kind_info<api::meta::Status>(), &status, form);
}

}  // namespace muster::server
