// JSON text into events by Boost.JSON's own scanner, so that no document is ever built on the way to a typed object.
#include <boost/json/basic_parser_impl.hpp>

#include "api/codec/decode.h"
#include "api/codec/typed_sink.h"
#include "api/schema/declare.h"
#include "base/check.h"

namespace muster::api {
namespace {

namespace json = boost::json;

// Boost's handler interface onto the sink. Text with escapes comes in several parts; without, in one.
struct SinkHandler {
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    TypedSink* sink;
    std::string parts;

    static bool stop(json::error_code& code) {
        code = json::error::exception;  // any code: the sink holds the reason
        return false;
    }
    bool pass(bool accepted, json::error_code& code) { return accepted || stop(code); }
    bool collect(json::string_view part) {
        parts.append(part.data(), part.size());
        return true;
    }
    // The whole text, `last` being its last part.
    std::string_view whole(json::string_view last) {
        if (parts.empty()) return {last.data(), last.size()};
        collect(last);
        return parts;
    }

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code& code) { return pass(sink->begin_object(), code); }
    bool on_object_end(std::size_t, json::error_code& code) { return pass(sink->end_object(), code); }
    bool on_array_begin(json::error_code& code) { return pass(sink->begin_array(), code); }
    bool on_array_end(std::size_t, json::error_code& code) { return pass(sink->end_array(), code); }
    bool on_key_part(json::string_view part, std::size_t, json::error_code&) { return collect(part); }
    bool on_key(json::string_view last, std::size_t, json::error_code& code) {
        const bool accepted = sink->key(whole(last));
        parts.clear();
        return pass(accepted, code);
    }
    bool on_string_part(json::string_view part, std::size_t, json::error_code&) { return collect(part); }
    bool on_string(json::string_view last, std::size_t, json::error_code& code) {
        const bool accepted = sink->string(whole(last));
        parts.clear();
        return pass(accepted, code);
    }
    bool on_number_part(json::string_view part, json::error_code&) { return collect(part); }
    bool number(json::string_view last, json::error_code& code) {
        const bool accepted = sink->number(whole(last));
        parts.clear();
        return pass(accepted, code);
    }
    bool on_int64(std::int64_t, json::string_view last, json::error_code& code) { return number(last, code); }
    bool on_uint64(std::uint64_t, json::string_view last, json::error_code& code) { return number(last, code); }
    bool on_double(double, json::string_view last, json::error_code& code) { return number(last, code); }
    bool on_bool(bool value, json::error_code& code) { return pass(sink->boolean(value), code); }
    bool on_null(json::error_code& code) { return pass(sink->null(), code); }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }
};

// A document that is one raw field, for what raw fields hold in other formats.
constexpr const char* kPackage = "muster";
struct RawDocument {
    TYPE(RawDocument, "Any JSON.")
    FIELD(1, RawJson, json, "It.")
};
DEFINE_TYPE(RawDocument)

std::string describe_place(std::string_view text, std::size_t offset) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (const char c : text.substr(0, offset)) {
        column = c == '\n' ? 1 : column + 1;
        if (c == '\n') ++line;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// All of the text, a whole document, as events.
Result<> scan(std::string_view text, TypedSink& sink, const DecodeLimits& limits) {
    if (text.size() > limits.bytes_max)
        return Error{Code::kTooLarge, "the document is larger than " + std::to_string(limits.bytes_max) + " bytes"};
    json::parse_options options;
    options.max_depth = limits.depth_max + 1;  // the sink says it in words one level earlier
    options.allow_invalid_utf8 = true;         // the sink repairs it
    json::basic_parser<SinkHandler> parser(options, SinkHandler{&sink, {}});
    json::error_code code;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), code);
    if (!sink.error().message.empty()) return sink.error();
    if (code) {
        const bool ended = used >= text.size() || code == json::error::incomplete;
        return Error{Code::kBadRequest,
                     ended ? "json parse error: unexpected end of JSON input"
                           : "json parse error: " + code.message() + " at " + describe_place(text, used)};
    }
    if (text.find_first_not_of(" \t\r\n", used) != std::string_view::npos)
        return Error{Code::kBadRequest,
                     "json parse error: text after the top-level value at " + describe_place(text, used)};
    return {};
}

}  // namespace

Result<Decoded> decode_json(const TypeInfo& type, void* object, std::string_view text, const DecodeLimits& limits) {
    TypedSink sink(type, object, limits);
    TRY(scan(text, sink, limits));
    return sink.take();
}

Result<RawJson> decode_raw_json(std::string_view text, const DecodeLimits& limits) {
    RawDocument document;
    TypedSink sink(RawDocument::info(), &document, limits);
    CHECK(sink.begin_object() && sink.key("json"), "a raw document begins");
    TRY(scan(text, sink, limits));
    return document.json;
}

Result<void> check_strict(const Decoded& decoded) {
    if (decoded.complaints.empty()) return {};
    std::string message = "strict decoding error: ";
    for (std::size_t i = 0; i < decoded.complaints.size(); ++i) {
        if (i > 0) message += ", ";
        message += decoded.complaints[i];
    }
    return Error{Code::kBadRequest, message};
}

}  // namespace muster::api
