// The parser of ?labelSelector=. Tokens, then one requirement after the other; every error names what was found and
// what could have stood there, in the API's words.
#include <algorithm>
#include <string>

#include "api/selector/label_selector.h"
#include "api/selector/names.h"
#include "api/value/quote.h"

namespace muster::api {
namespace {

using Op = LabelSelector::Op;

enum class Kind : std::uint8_t {
    kEnd,
    kIdentifier,
    kIn,     // also an identifier, where a key or a value can stand
    kNotIn,  // also an identifier
    kNot,
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kGreaterThan,
    kLessThan,
    kOpen,
    kClose,
    kComma,
};

struct Token {
    Kind kind;
    std::string_view text;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

Kind symbol_kind(std::string_view text) {
    if (text == "!=") return Kind::kNotEquals;
    if (text == "==") return Kind::kDoubleEquals;
    switch (text[0]) {
        case '=': return Kind::kEquals;
        case '!': return Kind::kNot;
        case '(': return Kind::kOpen;
        case ')': return Kind::kClose;
        case '>': return Kind::kGreaterThan;
        case '<': return Kind::kLessThan;
        default: return Kind::kComma;
    }
}

Token next_token(std::string_view& rest) {
    rest.remove_prefix(static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_space) - rest.begin()));
    // A zero byte ends the text, unless it follows a token: Kubernetes then swallows it.
    if (rest.empty() || rest[0] == '\0') return {Kind::kEnd, {}};
    std::size_t size = 1;
    const bool symbol = is_symbol(rest[0]);
    if (symbol) {
        if (rest.starts_with("!=") || rest.starts_with("==")) size = 2;
    } else {
        while (size < rest.size() && rest[size] != '\0' && !is_symbol(rest[size]) && !is_space(rest[size])) ++size;
    }
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    if (rest.starts_with('\0')) rest.remove_prefix(1);
    if (symbol) return {symbol_kind(text), text};
    return {text == "in" ? Kind::kIn : text == "notin" ? Kind::kNotIn : Kind::kIdentifier, text};
}

Error found(std::string_view text, std::string_view expected) {
    return {Code::kBadRequest, "found '" + std::string(text) + "', expected: " + std::string(expected)};
}

class Parser {
public:
    explicit Parser(std::string_view text) {
        do tokens_.push_back(next_token(text));
        while (tokens_.back().kind != Kind::kEnd);
    }

    Result<LabelSelector> parse() {
        if (peek().kind == Kind::kEnd) return selector_;
        if (!starts_requirement(peek())) return found(peek().text, "!, identifier, or 'end of string'");
        while (true) {
            if (auto parsed = parse_requirement(); !parsed)
                return Error{Code::kBadRequest, "unable to parse requirement: " + parsed.error().message};
            const Token after = take();
            if (after.kind == Kind::kEnd) return selector_;
            if (after.kind != Kind::kComma) return found(after.text, "',' or 'end of string'");
            if (!starts_requirement(peek())) return found(peek().text, "identifier after ','");
        }
    }

private:
    static bool is_word(const Token& token) {
        return token.kind == Kind::kIdentifier || token.kind == Kind::kIn || token.kind == Kind::kNotIn;
    }
    static bool starts_requirement(const Token& token) { return is_word(token) || token.kind == Kind::kNot; }

    const Token& peek() const { return tokens_[position_]; }
    Token take() {
        const Token token = tokens_[position_];
        // The end is never passed: whatever follows it is the end again.
        if (token.kind != Kind::kEnd) ++position_;
        return token;
    }

    Result<> parse_requirement() {
        Token key = take();
        const bool negated = key.kind == Kind::kNot;
        if (negated) key = take();
        if (!is_word(key)) return found(key.text, "identifier");
        if (const Problems problems = is_qualified_name(key.text); !problems.empty())
            return bad_key(key.text, problems);
        if (negated) return selector_.add(key.text, Op::kDoesNotExist, {});
        if (peek().kind == Kind::kEnd || peek().kind == Kind::kComma) return selector_.add(key.text, Op::kExists, {});
        TRY_ASSIGN(const Op op, parse_operator());
        std::vector<Text> values;
        TRY(op == Op::kIn || op == Op::kNotIn ? parse_values(values) : parse_value(values));
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        return selector_.add(key.text, op, values);
    }

    // The path of a bare key is not known to Kubernetes, and it says so.
    static Error bad_key(std::string_view key, const Problems& problems) {
        std::string message = "<nil>: Invalid value: " + in_quotes(key) + ": ";
        for (const std::string& problem : problems) message += (&problem == &problems.front() ? "" : "; ") + problem;
        return {Code::kBadRequest, message};
    }

    Result<Op> parse_operator() {
        const Token token = take();
        switch (token.kind) {
            case Kind::kIn: return Op::kIn;
            case Kind::kNotIn: return Op::kNotIn;
            case Kind::kEquals: return Op::kEquals;
            case Kind::kDoubleEquals: return Op::kDoubleEquals;
            case Kind::kNotEquals: return Op::kNotEquals;
            case Kind::kGreaterThan: return Op::kGreaterThan;
            case Kind::kLessThan: return Op::kLessThan;
            default: return found(token.text, "in, notin, =, ==, !=, gt, lt");
        }
    }

    // A value may be left out: "a=" asks for an empty one.
    Result<> parse_value(std::vector<Text>& values) {
        if (peek().kind == Kind::kEnd || peek().kind == Kind::kComma) {
            values.emplace_back();
            return {};
        }
        const Token token = take();
        if (!is_word(token)) return found(token.text, "identifier");
        values.emplace_back(token.text);
        return {};
    }

    // "(x,y)", "()", "(,x)": what is left out is the empty value.
    Result<> parse_values(std::vector<Text>& values) {
        if (const Token open = take(); open.kind != Kind::kOpen)
            return Error{Code::kBadRequest, "found '" + std::string(open.text) + "' expected: '('"};
        if (peek().kind == Kind::kClose) {
            take();
            values.emplace_back();
            return {};
        }
        if (!is_word(peek()) && peek().kind != Kind::kComma) return found(peek().text, "',', ')' or identifier");
        TRY(parse_list(values));
        take();
        return {};
    }

    // Stops before the closing parenthesis.
    Result<> parse_list(std::vector<Text>& values) {
        while (true) {
            const Token token = take();
            if (is_word(token)) {
                values.emplace_back(token.text);
                if (peek().kind == Kind::kClose) return {};
                if (peek().kind != Kind::kComma) return found(peek().text, "',' or ')'");
            } else if (token.kind == Kind::kComma) {
                const bool leads = values.empty();
                const bool ends = peek().kind == Kind::kClose;
                if (leads || ends || peek().kind == Kind::kComma) values.emplace_back();
                if (ends) return {};
            } else {
                return found(token.text, "',', or identifier");
            }
        }
    }

    std::vector<Token> tokens_;
    std::size_t position_ = 0;
    LabelSelector selector_;
};

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
    if (text.size() > kTextMax)
        return Error{Code::kBadRequest, "a selector has at most " + std::to_string(kTextMax) + " bytes"};
    return Parser(text).parse();
}

}  // namespace muster::api
