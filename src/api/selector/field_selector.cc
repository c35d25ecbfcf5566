#include "api/selector/field_selector.h"

namespace muster::api {
namespace {

// At commas that no backslash stands before. Empty terms are left out.
std::vector<std::string_view> split_terms(std::string_view text) {
    std::vector<std::string_view> terms;
    std::size_t start = 0;
    bool escaped = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && !escaped)) {
            if (i > start) terms.push_back(text.substr(start, i - start));
            start = i + 1;
        }
        escaped = i < text.size() && text[i] == '\\' && !escaped;
    }
    return terms;
}

// The first character of the text, with the bytes that continue it.
std::string_view first_character(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) ++size;
    return text.substr(0, size);
}

Result<std::string> unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '=' || text[i] == ',')
            return Error{Code::kBadRequest, "invalid field selector: unescaped character in value: " +
                                                std::to_string(static_cast<int>(text[i]))};
        if (text[i] == '\\') {
            ++i;
            if (i == text.size() || (text[i] != '\\' && text[i] != ',' && text[i] != '='))
                return Error{Code::kBadRequest,
                             "invalid field selector: invalid escape sequence: \\" +
                                 std::string(first_character(text.substr(std::min(i, text.size()))))};
        }
        out += text[i];
    }
    return out;
}

void append_escaped(std::string_view value, std::string& out) {
    for (const char c : value) {
        if (c == '\\' || c == ',' || c == '=') out += '\\';
        out += c;
    }
}

std::string print(const FieldSelector::Term& term) {
    std::string out = term.field + (term.negated ? "!=" : "=");
    append_escaped(term.value, out);
    return out;
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
    if (text.size() > kTextMax)
        return Error{Code::kBadRequest, "a selector has at most " + std::to_string(kTextMax) + " bytes"};
    std::vector<std::string_view> parts = split_terms(text);
    if (parts.size() > kTermsMax)
        return Error{Code::kBadRequest, "a selector has at most " + std::to_string(kTermsMax) + " requirements"};
    std::sort(parts.begin(), parts.end());
    FieldSelector made;
    for (const std::string_view part : parts) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos)
            return Error{Code::kBadRequest,
                         "invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(part) + "'"};
        const bool negated = equals > 0 && part[equals - 1] == '!';
        const bool twice = !negated && part.substr(equals + 1).starts_with('=');
        const std::string_view field = part.substr(0, negated ? equals - 1 : equals);
        TRY_ASSIGN(const std::string value, unescape(part.substr(equals + (twice ? 2 : 1))));
        // "=" asks nothing of nothing, and Kubernetes lets it pass.
        if (!field.empty() || !value.empty()) made.add(field, value, negated);
    }
    // "a==z" is before "a=b" as it is written, and behind it as it is printed.
    std::sort(made.terms_.begin(), made.terms_.end(), [](const Term& a, const Term& b) { return print(a) < print(b); });
    return made;
}

std::vector<std::string_view> FieldSelector::fields() const {
    std::vector<std::string_view> out;
    for (const Term& term : terms_)
        if (std::find(out.begin(), out.end(), term.field) == out.end()) out.emplace_back(term.field);
    return out;
}

std::optional<std::string_view> FieldSelector::exact_value(std::string_view field) const {
    for (const Term& term : terms_)
        if (!term.negated && term.field == field) return term.value;
    return std::nullopt;
}

std::string FieldSelector::text() const {
    std::string out;
    for (const Term& term : terms_) {
        if (&term != &terms_.front()) out += ',';
        out += print(term);
    }
    return out;
}

}  // namespace muster::api
