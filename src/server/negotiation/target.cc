#include "server/negotiation/target.h"

#include <charconv>

#include "api/text/utf8.h"
#include "api/value/quote.h"

namespace muster::server {
namespace {

Error bad_request(std::string message) { return {Code::kBadRequest, std::move(message)}; }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::string> decode_percent(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) return bad_request("invalid URL escape " + api::in_quotes(text.substr(i, 3)));
            c = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        if (c == '\0') return bad_request("a NUL character is not allowed in a URL");
        out += c;
    }
    if (!api::is_utf8(out)) return bad_request("the URL is not valid UTF-8");
    return out;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
        if (c != lower[i]) return false;
    }
    return true;
}

Result<std::string> parse_segment(std::string_view text) {
    TRY_ASSIGN(std::string segment, decode_percent(text, false));
    if (segment.empty()) return bad_request("the path has an empty segment");
    if (segment == "." || segment == "..") return bad_request("the path may not contain " + api::in_quotes(segment));
    if (segment.find('/') != std::string::npos) return bad_request("a path segment may not contain an escaped '/'");
    return segment;
}

}  // namespace

std::string_view Query::get(std::string_view key) const {
    const std::string* value = find(key);
    return value ? std::string_view(*value) : std::string_view();
}

std::vector<std::string> Query::all(std::string_view key) const {
    std::vector<std::string> values;
    for (const auto& [name, value] : pairs_)
        if (name == key) values.push_back(value);
    return values;
}

std::optional<bool> Query::flag(std::string_view key) const {
    const std::string* value = find(key);
    if (!value) return std::nullopt;
    return *value != "0" && !equals_ignoring_case(*value, "false");
}

Result<std::optional<std::int64_t>> Query::integer(std::string_view key) const {
    const std::string_view text = get(key);
    if (text.empty()) return std::optional<std::int64_t>();
    std::string_view digits = text;
    if (digits[0] == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return std::optional<std::int64_t>(number);
    const char* why = error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
    return bad_request(std::string(key) + ": parsing " + api::in_quotes(text) + ": " + why);
}

const std::string* Query::find(std::string_view key) const {
    for (const auto& [name, value] : pairs_)
        if (name == key) return &value;
    return nullptr;
}

Result<Query> parse_query(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        if (query.pairs().size() == kQueryPairsMax) return bad_request("the query has too many parameters");
        const std::size_t equals = std::min(pair.find('='), pair.size());
        TRY_ASSIGN(std::string key, decode_percent(pair.substr(0, equals), true));
        TRY_ASSIGN(std::string value, decode_percent(pair.substr(std::min(equals + 1, pair.size())), true));
        query.add(std::move(key), std::move(value));
    }
    return query;
}

std::string Target::path() const {
    std::string out;
    for (const std::string& segment : segments) out.append("/").append(segment);
    return out.empty() ? "/" : out;
}

Result<Target> parse_target(std::string_view target) {
    if (target.empty() || target[0] != '/') return bad_request("the request target must be an absolute path");
    Target out;
    const std::size_t question = std::min(target.find('?'), target.size());
    std::string_view path = target.substr(1, question - 1);
    if (!path.empty() && path.back() == '/') path.remove_suffix(1);
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        TRY_ASSIGN(std::string segment, parse_segment(path.substr(0, end)));
        out.segments.push_back(std::move(segment));
        if (end == path.size()) break;
        path.remove_prefix(end + 1);
        if (path.empty()) return bad_request("the path has an empty segment");
    }
    TRY_ASSIGN(out.query, parse_query(target.substr(std::min(question + 1, target.size()))));
    return out;
}

}  // namespace muster::server
