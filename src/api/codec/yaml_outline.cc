#include "api/codec/yaml_outline.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::api {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_break(char c) { return c == '\n' || c == '\r'; }
bool is_flow_indicator(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'; }

class OutlineReader {
public:
    OutlineReader(std::string_view text, std::size_t entries_max, std::size_t depth_max)
        : text_(text), entries_max_(entries_max), depth_max_(depth_max) {}

    YamlOutline read() {
        while (!at_end() && !is_over()) read_line();
        return outline_;
    }

private:
    bool at_end() const { return at_ >= text_.size(); }
    bool is_over() const { return outline_.entries > entries_max_ || outline_.depth > depth_max_; }
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
    bool ends_word(std::size_t ahead) const { return is_blank(peek(ahead)) || is_break(peek(ahead)); }
    std::ptrdiff_t column() const { return static_cast<std::ptrdiff_t>(at_ - line_start_); }
    void skip_blanks() {
        while (!at_end() && is_blank(text_[at_])) ++at_;
    }
    void skip_line() {
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (!at_end()) ++at_;
        line_start_ = at_;
    }

    // A line in block context, and what begins on it and goes on over further lines.
    void read_line() {
        line_start_ = at_;
        std::ptrdiff_t parent = -1;  // the column of the entry that the next value belongs to
        for (;;) {
            skip_blanks();
            const char c = peek();
            if (is_break(c) || c == '#' || c == '%') return skip_line();
            if ((c == '-' || c == '?' || c == ':') && ends_word(1)) {
                if (c != ':') parent = column();
                ++at_;
            } else if (text_.substr(at_).starts_with("---") && column() == 0) {
                at_ += 3;
            } else if (c == '[' || c == '{') {
                read_flow();
                if (is_over() || at_end()) return;
            } else if (c == '|' || c == '>') {
                return skip_block_text(parent);
            } else if (c == '&' || c == '!' || c == '*') {
                while (!ends_word(0)) ++at_;
            } else {
                parent = column();  // of a key, if it is one
                skip_scalar();
            }
            if (at_end()) return;
        }
    }

    // A quoted text; or a plain one up to the end of the key or of the line.
    void skip_scalar() {
        if (peek() == '"' || peek() == '\'') return skip_quoted();
        while (!at_end() && !is_break(peek())) {
            if (peek() == ':' && ends_word(1)) return;
            if (peek() == '#' && is_blank(text_[at_ - 1])) return;
            ++at_;
        }
    }

    void skip_quoted() {
        const char quote = text_[at_++];
        for (; !at_end(); ++at_) {
            if (text_[at_] == '\\' && quote == '"') {
                ++at_;
            } else if (text_[at_] == quote) {
                ++at_;
                if (quote == '"' || peek() != quote) return;
            }
        }
        at_ = text_.size();
    }

    // "|" or ">", and the lines that are indented deeper than the entry they belong to.
    void skip_block_text(std::ptrdiff_t parent) {
        std::optional<std::ptrdiff_t> indent;
        for (; !at_end() && !is_break(peek()) && peek() != '#'; ++at_)
            if (peek() >= '1' && peek() <= '9') indent = std::max<std::ptrdiff_t>(parent, 0) + (peek() - '0');
        skip_line();
        while (!at_end()) {
            while (!at_end() && peek() == ' ') ++at_;
            const bool is_empty = is_break(peek());
            if (!is_empty && !indent) indent = std::max(column(), parent + 1);
            if (!is_empty && column() < *indent) {
                at_ = line_start_;
                return;
            }
            skip_line();
        }
    }

    // From an opening bracket to the one that closes it.
    void read_flow() {
        std::size_t depth = 0;
        bool ends_json = false;  // a quoted text or a collection stands before: a colon need not have a space behind it
        while (!at_end() && !is_over()) {
            const char c = text_[at_];
            const bool after_json = std::exchange(ends_json, c == '"' || c == '\'' || c == ']' || c == '}');
            if (c == '[' || c == '{') {
                outline_.depth = std::max(outline_.depth, ++depth);
            } else if (c == ']' || c == '}') {
                --depth;
            } else if (c == ',') {
                ++outline_.entries;
            } else if (c == '"' || c == '\'') {
                skip_quoted();
                continue;
            } else if (c == ':' && (after_json || ends_word(1) || is_flow_indicator(peek(1)))) {
                // Between a key and its value.
            } else if (c == '#' && ends_word_before()) {
                skip_line();
                continue;
            } else if (!is_blank(c) && !is_break(c)) {
                skip_plain_in_flow();
                continue;
            }
            ++at_;
            if (depth == 0) return;
        }
    }
    bool ends_word_before() const { return at_ == 0 || is_blank(text_[at_ - 1]) || is_break(text_[at_ - 1]); }

    // Over several lines, too. A quote inside a plain text is a character like others.
    void skip_plain_in_flow() {
        for (++at_; !at_end() && !is_flow_indicator(text_[at_]); ++at_) {
            if (text_[at_] == ':' && (ends_word(1) || is_flow_indicator(peek(1)))) return;
            if (text_[at_] == '#' && ends_word_before()) return;
        }
    }

    const std::string_view text_;
    const std::size_t entries_max_;
    const std::size_t depth_max_;
    std::size_t at_ = 0;
    std::size_t line_start_ = 0;
    YamlOutline outline_;
};

}  // namespace

YamlOutline outline_yaml(std::string_view text, std::size_t entries_max, std::size_t depth_max) {
    return OutlineReader(text, entries_max, depth_max).read();
}

}  // namespace muster::api
