#include "client/remote/json_slices.h"

namespace muster::client {
namespace {

Error corrupt() { return {Code::kCorrupt, "the server's answer is no JSON of the expected shape"}; }

class Slicer {
public:
    explicit Slicer(std::string_view text) : text_(text) {}

    bool take(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool at_end() {
        skip_space();
        return at_ == text_.size();
    }
    // The next value, whole; nothing when the text ends before it does.
    std::string_view value() {
        skip_space();
        const std::size_t start = at_;
        if (at_ < text_.size() && text_[at_] == '"') return skip_string() ? text_.substr(start, at_ - start) : "";
        std::size_t depth = 0;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '"') {
                if (!skip_string()) return "";
                --at_;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (depth == 0) break;
                if (--depth == 0) return text_.substr(start, ++at_ - start);
            } else if (depth == 0 && (c == ',' || c == ':' || is_space(c))) {
                break;
            }
        }
        return depth == 0 ? text_.substr(start, at_ - start) : "";
    }

private:
    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    // From its first quote to behind its last.
    bool skip_string() {
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\\')
                ++at_;
            else if (text_[at_] == '"')
                return ++at_ <= text_.size();
        }
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Result<void> for_each_member(std::string_view object,
                             const std::function<Result<void>(std::string_view, std::string_view)>& found) {
    Slicer slicer(object);
    if (!slicer.take('{')) return corrupt();
    if (slicer.take('}')) return slicer.at_end() ? Result<void>() : corrupt();
    for (;;) {
        const std::string_view key = slicer.value();
        if (key.size() < 2 || key.front() != '"' || !slicer.take(':')) return corrupt();
        const std::string_view value = slicer.value();
        if (value.empty()) return corrupt();
        TRY(found(key.substr(1, key.size() - 2), value));
        if (slicer.take(',')) continue;
        if (slicer.take('}') && slicer.at_end()) return {};
        return corrupt();
    }
}

Result<void> for_each_element(std::string_view array, const std::function<Result<void>(std::string_view)>& found) {
    if (array == "null") return {};
    Slicer slicer(array);
    if (!slicer.take('[')) return corrupt();
    if (slicer.take(']')) return slicer.at_end() ? Result<void>() : corrupt();
    for (;;) {
        const std::string_view element = slicer.value();
        if (element.empty()) return corrupt();
        TRY(found(element));
        if (slicer.take(',')) continue;
        if (slicer.take(']') && slicer.at_end()) return {};
        return corrupt();
    }
}

std::string_view plain_text(std::string_view value) {
    if (value.size() < 2 || value.front() != '"' || value.find('\\') != std::string_view::npos) return {};
    return value.substr(1, value.size() - 2);
}

}  // namespace muster::client
