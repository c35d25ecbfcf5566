#include "api/codec/dom.h"

#include <boost/json/parse.hpp>

#include "api/codec/encode.h"
#include "api/codec/typed_sink.h"
#include "api/text/json_text.h"

namespace muster::api {
namespace {

namespace json = boost::json;

bool send_number(const json::value& value, TypedSink& sink) {
    std::string text;
    if (value.is_double()) {
        append_json_number(value.get_double(), text);
    } else if (value.is_uint64()) {
        text = std::to_string(value.get_uint64());
    } else {
        append_json_number(value.get_int64(), text);
    }
    return sink.number(text);
}

// Recursion is bounded: the sink refuses a document deeper than its limit.
bool send(const json::value& value, TypedSink& sink) {
    switch (value.kind()) {
        case json::kind::null: return sink.null();
        case json::kind::bool_: return sink.boolean(value.get_bool());
        case json::kind::string: return sink.string({value.get_string().data(), value.get_string().size()});
        case json::kind::array:
            if (!sink.begin_array()) return false;
            for (const json::value& item : value.get_array())
                if (!send(item, sink)) return false;
            return sink.end_array();
        case json::kind::object:
            if (!sink.begin_object()) return false;
            for (const auto& member : value.get_object())
                if (!sink.key({member.key().data(), member.key().size()}) || !send(member.value(), sink)) return false;
            return sink.end_object();
        default: return send_number(value, sink);
    }
}

}  // namespace

Result<Decoded> decode_dom(const TypeInfo& type, void* object, const json::value& document,
                           const DecodeLimits& limits) {
    TypedSink sink(type, object, limits);
    if (!send(document, sink)) return sink.error();
    return sink.take();
}

Result<json::value> parse_dom(std::string_view text, const DecodeLimits& limits) {
    if (text.size() > limits.bytes_max)
        return Error{Code::kTooLarge, "the document is larger than " + std::to_string(limits.bytes_max) + " bytes"};
    json::parse_options options;
    options.max_depth = limits.depth_max;
    json::error_code code;
    json::value document = json::parse({text.data(), text.size()}, code, {}, options);
    if (code == json::error::too_deep)
        return Error{Code::kTooLarge,
                     "the document is nested deeper than " + std::to_string(limits.depth_max) + " levels"};
    if (code) return Error{Code::kBadRequest, "json parse error: " + code.message()};
    return document;
}

Result<json::value> to_dom(const TypeInfo& type, const void* object, const KindInfo* kind) {
    std::string text;
    append_json(type, object, text, kind);
    json::parse_options options;
    options.max_depth = DecodeLimits().depth_max;
    json::error_code code;
    json::value document = json::parse({text.data(), text.size()}, code, {}, options);
    if (code) return Error{Code::kInternal, "the stored object cannot be read as JSON: " + code.message()};
    return document;
}

}  // namespace muster::api
