#include "server/rest/options.h"

#include <boost/json/parse.hpp>
#include <charconv>

#include "api/codec/base64.h"
#include "api/text/json_text.h"
#include "api/validation/rules/field_errors.h"
#include "server/kind_object/field_labels.h"

namespace muster::server {
namespace {

using api::FieldErrors;
using api::FieldPath;

Error invalid_options(const char* options_kind, FieldErrors errors) {
    const api::KindInfo about{"meta.k8s.io", "v1", options_kind, {}, nullptr};
    return invalid_object(about, "", std::move(errors));
}

void check_field_manager(std::string_view manager, FieldErrors& errors) {
    constexpr std::size_t kManagerMax = 128;
    if (manager.size() > kManagerMax) errors.add_too_long(FieldPath("fieldManager"), kManagerMax);
    for (std::size_t i = 0; i < manager.size(); ++i)
        if (static_cast<unsigned char>(manager[i]) < 0x20 || manager[i] == 0x7f)
            errors.add_invalid(FieldPath("fieldManager"), manager,
                               "invalid character (at position " + std::to_string(i) + ")");
}

std::optional<FieldValidation> parse_validation(std::string_view text) {
    if (text.empty() || text == "Warn") return FieldValidation::kWarn;
    if (text == "Ignore") return FieldValidation::kIgnore;
    if (text == "Strict") return FieldValidation::kStrict;
    return std::nullopt;
}

void check_list_match(const ListQuery& list, const Query& query, FieldErrors& errors) {
    const FieldPath path("resourceVersionMatch");
    const std::string_view match = query.get("resourceVersionMatch");
    if (!match.empty()) {
        if (list.version_unset)
            errors.add_forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        if (!list.continue_token.empty())
            errors.add_forbidden(path, "resourceVersionMatch is forbidden when continue is provided");
        if (list.match == VersionMatch::kUnset) errors.add_not_supported(path, match, {"Exact", "NotOlderThan", ""});
        if (list.match == VersionMatch::kExact && !list.version_unset && !list.version)
            errors.add_forbidden(path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
    if (query.has("sendInitialEvents"))
        errors.add_forbidden(FieldPath("sendInitialEvents"), "sendInitialEvents is forbidden for list");
}

void check_watch_match(const ListQuery& list, const Query& query, FieldErrors& errors) {
    const FieldPath path("resourceVersionMatch");
    const std::string_view match = query.get("resourceVersionMatch");
    if (query.has("sendInitialEvents") && list.match != VersionMatch::kNotOlderThan)
        errors.add_forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (match.empty()) return;
    if (!query.has("sendInitialEvents"))
        errors.add_forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    if (list.match != VersionMatch::kNotOlderThan) errors.add_not_supported(path, match, {"NotOlderThan"});
    if (!list.continue_token.empty())
        errors.add_forbidden(path, "resourceVersionMatch is forbidden when continue is provided");
}

// Whether one of the names in it is "..", which is no object's.
bool leaves_list(std::string_view start) {
    for (;;) {
        const std::size_t end = start.find('/');
        if (start.substr(0, end) == "..") return true;
        if (end == std::string_view::npos) return false;
        start.remove_prefix(end + 1);
    }
}

}  // namespace

Result<WriteQuery> parse_write_query(const Query& query, const char* options_kind) {
    WriteQuery write;
    FieldErrors errors;
    if (std::string_view(options_kind) == "PatchOptions" && query.has("force"))
        errors.add_forbidden(FieldPath("force"), "may not be specified for non-apply patch");
    check_field_manager(query.get("fieldManager"), errors);
    for (const std::string& value : query.all("dryRun")) {
        if (value == "All") {
            write.dry_run = true;
        } else if (!value.empty()) {
            errors.add_not_supported(FieldPath("dryRun"), value, {"All"});
        }
    }
    const std::string_view validation = query.get("fieldValidation");
    if (const auto parsed = parse_validation(validation)) {
        write.validation = *parsed;
    } else {
        errors.add_not_supported(FieldPath("fieldValidation"), validation, {"", "Ignore", "Strict", "Warn"});
    }
    if (!errors.empty()) return invalid_options(options_kind, std::move(errors));
    return write;
}

Result<std::optional<store::Revision>> parse_version(std::string_view text) {
    if (text.empty() || text == "0") return std::optional<store::Revision>();
    store::Revision version = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (failure != std::errc() || end != text.data() + text.size())
        return Error{Code::kBadRequest, "invalid resource version: resourceVersion: Invalid value: \"" +
                                            std::string(text) + "\": not a number"};
    return std::optional<store::Revision>(version);
}

Result<ListQuery> parse_list_query(const Query& query, const api::KindInfo& kind, bool is_watch) {
    ListQuery list;
    TRY_ASSIGN(list.labels, api::LabelSelector::parse(query.get("labelSelector")));
    TRY_ASSIGN(list.fields, api::FieldSelector::parse(query.get("fieldSelector")));
    TRY(check_field_labels(kind, list.fields));
    TRY_ASSIGN(const auto limit, query.integer("limit"));
    if (limit && *limit > 0) list.limit = *limit;
    TRY_ASSIGN(list.timeout_seconds, query.integer("timeoutSeconds"));
    list.continue_token = query.get("continue");
    list.version_unset = query.get("resourceVersion").empty();
    const std::string_view match = query.get("resourceVersionMatch");
    if (match == "Exact") list.match = VersionMatch::kExact;
    if (match == "NotOlderThan") list.match = VersionMatch::kNotOlderThan;
    list.bookmarks = query.is_set("allowWatchBookmarks");
    list.send_initial_events = query.is_set("sendInitialEvents");
    // Which rules hold comes first: a version that cannot be read matters only where one may be given.
    const Result<std::optional<store::Revision>> version = parse_version(query.get("resourceVersion"));
    if (version.ok()) list.version = *version;
    FieldErrors errors;
    if (is_watch) {
        check_watch_match(list, query, errors);
    } else {
        check_list_match(list, query, errors);
    }
    if (!errors.empty()) return invalid_options("ListOptions", std::move(errors));
    if (!version.ok()) return version.error();
    return list;
}

std::string format_continue(const ContinueToken& token) {
    std::string json = "{\"v\":\"meta.k8s.io/v1\",\"rv\":" + std::to_string(token.version) + ",\"start\":";
    api::append_json_string(token.start, json);
    json += '}';
    std::string encoded;
    api::append_base64(json, encoded);
    // The URL's alphabet, without the padding.
    for (char& c : encoded) c = c == '+' ? '-' : c == '/' ? '_' : c;
    while (encoded.ends_with('=')) encoded.pop_back();
    return encoded;
}

Result<ContinueToken> parse_continue(std::string_view text) {
    const auto invalid = [](const std::string& why) {
        return Error{Code::kBadRequest, "invalid continue token: continue key is not valid: " + why};
    };
    std::string standard(text);
    for (char& c : standard) c = c == '-' ? '+' : c == '_' ? '/' : c;
    standard.append((4 - standard.size() % 4) % 4, '=');
    std::string json;
    if (!api::decode_base64(standard, json)) return invalid("not base64");
    boost::system::error_code failure;
    const boost::json::value document = boost::json::parse(json, failure);
    if (failure || !document.is_object()) return invalid("not the token of a list");
    const auto* version = document.get_object().if_contains("rv");
    const auto* start = document.get_object().if_contains("start");
    const auto* form = document.get_object().if_contains("v");
    if (!form || !form->is_string() || form->get_string() != "meta.k8s.io/v1")
        return Error{Code::kBadRequest,
                     "invalid continue token: continue key is not valid: server does not recognize this encoded "
                     "version"};
    if (!version || !version->is_int64() || !start || !start->is_string()) return invalid("not the token of a list");
    ContinueToken token{version->get_int64(), std::string(start->get_string())};
    if (token.version == 0 || token.version < -1)
        return invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    if (token.start.empty() || token.start.front() == '/' || leaves_list(token.start))
        return invalid("\"" + token.start + "\" is not a place in a list");
    return token;
}

}  // namespace muster::server
