#include "server/negotiation/pretty.h"

#include <cstddef>

namespace muster::server {
namespace {

// The end of the string that starts at `start`, behind its closing quote.
std::size_t string_end(std::string_view json, std::size_t start) {
    std::size_t at = start + 1;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
    return at + 1;
}

}  // namespace

std::string indent_json(std::string_view json) {
    std::string out;
    out.reserve(json.size() * 2);
    std::size_t depth = 0;
    const auto new_line = [&] { out.append("\n").append(depth * 2, ' '); };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        switch (c) {
            case '"': {
                const std::size_t end = string_end(json, i);
                out += json.substr(i, end - i);
                i = end - 1;
                break;
            }
            case '{':
            case '[':
                out += c;
                if (i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']')) {
                    out += json[++i];
                    break;
                }
                ++depth;
                new_line();
                break;
            case '}':
            case ']':
                if (depth > 0) --depth;
                new_line();
                out += c;
                break;
            case ',':
                out += c;
                new_line();
                break;
            case ':': out += ": "; break;
            case ' ':
            case '\n':
            case '\r':
            case '\t': break;
            default: out += c;
        }
    }
    return out;
}

}  // namespace muster::server
