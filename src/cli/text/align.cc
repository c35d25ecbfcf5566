#include "cli/text/align.h"

#include <algorithm>
#include <vector>

namespace muster::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::size_t text_width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string align_columns(std::string_view text, std::size_t padding) {
    const bool ends_line = text.ends_with('\n');
    if (ends_line) text.remove_suffix(1);
    std::vector<std::vector<std::string_view>> lines;
    std::size_t columns = 0;
    for (const std::string_view line : split(text, '\n')) {
        lines.push_back(split(line, '\t'));
        columns = std::max(columns, lines.back().size() - 1);
    }
    std::vector<std::vector<std::size_t>> widths(lines.size());
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t first = 0; first < lines.size();) {
            std::size_t end = first;
            std::size_t width = 0;
            for (; end < lines.size() && lines[end].size() > column + 1; ++end)
                width = std::max(width, text_width(lines[end][column]));
            for (std::size_t i = first; i < end; ++i) widths[i].push_back(width == 0 ? 0 : width + padding);
            first = std::max(end, first + 1);
        }
    }
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (std::size_t column = 0; column < lines[i].size(); ++column) {
            const std::string_view cell = lines[i][column];
            out += cell;
            if (column + 1 < lines[i].size()) out.append(widths[i][column] - text_width(cell), ' ');
        }
        if (i + 1 < lines.size() || ends_line) out += '\n';
    }
    return out;
}

}  // namespace muster::cli
