#include "server/table/table.h"

#include "api/codec/encode.h"
#include "api/text/json_text.h"
#include "api/value/quote.h"
#include "server/table/metadata.h"
#include "server/table/print.h"

namespace muster::server {
namespace {

void append_text_member(const char* key, std::string_view value, std::string& out) {
    out.append("\"").append(key).append("\":");
    api::append_json_string(value, out);
    out += ',';
}

void append_columns(std::span<const Column> columns, std::string& out) {
    out += '[';
    for (const Column& column : columns) {
        if (&column != columns.data()) out += ',';
        out += '{';
        append_text_member("name", column.name, out);
        append_text_member("type", column.type, out);
        append_text_member("format", column.format, out);
        append_text_member("description", column.description, out);
        out.append("\"priority\":").append(std::to_string(column.priority)).append("}");
    }
    out += ']';
}

void print_default(const api::meta::ObjectMeta& metadata, Row& row) {
    row.text(metadata.name);
    row.text(metadata.creation_timestamp ? metadata.creation_timestamp.text() : "0001-01-01T00:00:00Z");
}

void append_condition(const Row& row, std::string& out) {
    out += R"(,"conditions":[{"type":"Completed","status":"True",)";
    append_text_member("reason", row.completed_reason, out);
    out += R"("message":)";
    api::append_json_string(row.completed_message, out);
    out += "}]";
}

}  // namespace

Result<IncludeObject> parse_include_object(std::string_view text) {
    if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
    if (text == "None") return IncludeObject::kNone;
    if (text == "Object") return IncludeObject::kObject;
    return Error{Code::kBadRequest, "Unable to convert to Table as requested: includeObject: Invalid value: " +
                                        api::in_quotes(text) + ": must be 'Metadata', 'Object', 'None', or empty"};
}

TableWriter::TableWriter(const api::KindInfo& kind, const api::meta::ListMeta& list, TableOptions options,
                         std::string& out)
    : kind_(kind), options_(options), out_(out) {
    out_ += R"({"kind":"Table","apiVersion":"meta.k8s.io/)";
    out_ += options_.beta ? "v1beta1" : "v1";
    out_ += R"(","metadata":)";
    api::append_json(api::meta::ListMeta::info(), &list, out_);
    out_ += R"(,"columnDefinitions":)";
    if (options_.headers) {
        append_columns(printer_of(kind_).columns, out_);
    } else {
        out_ += "null";
    }
    out_ += R"(,"rows":[)";
}

void TableWriter::row(const void* object) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += R"({"cells":[)";
    Row row(out_, options_.now);
    const Printer& printer = printer_of(kind_);
    if (printer.print) {
        printer.print(object, row);
    } else {
        print_default(metadata_of(kind_, object), row);
    }
    out_ += ']';
    if (!row.completed_reason.empty()) append_condition(row, out_);
    out_ += R"(,"object":)";
    switch (options_.include) {
        case IncludeObject::kNone: out_ += "null"; break;
        case IncludeObject::kMetadata: append_partial_json(metadata_of(kind_, object), options_.beta, out_); break;
        case IncludeObject::kObject: api::append_json(kind_.type(), object, out_, &kind_); break;
    }
    out_ += '}';
}

void TableWriter::finish() { out_ += "]}"; }

void append_table(const api::KindInfo& kind, const void* object, TableOptions options, std::string& out) {
    api::meta::ListMeta list;
    list.resource_version = metadata_of(kind, object).resource_version;
    TableWriter writer(kind, list, options, out);
    writer.row(object);
    writer.finish();
}

}  // namespace muster::server
