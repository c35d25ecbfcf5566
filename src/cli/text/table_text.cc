#include "cli/text/table_text.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "cli/text/align.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

// One line: what follows a line break is left out, and said to be.
std::string cell_text(const json::value& cell) {
    if (cell.is_null()) return "<none>";
    std::string text = cell.is_string() ? std::string(cell.as_string()) : json::serialize(cell);
    const std::size_t line_end = text.find_first_of("\r\n");
    if (line_end != std::string::npos) text = text.substr(0, line_end) + "...";
    return text;
}

}  // namespace

std::string labels_text(const json::value* labels, const char* separator) {
    const json::object* object = labels ? labels->if_object() : nullptr;
    if (!object || object->empty()) return "<none>";
    std::vector<std::string> pairs;
    for (const auto& label : *object) pairs.push_back(std::string(label.key()) + "=" + cell_text(label.value()));
    std::ranges::sort(pairs);
    std::string out;
    for (const std::string& pair : pairs) out += (out.empty() ? "" : separator) + pair;
    return out;
}

std::vector<std::string> TableText::cells_of(const json::value& row) const {
    std::vector<std::string> cells;
    if (style_.with_namespace) cells.push_back(text_at(row, "/object/metadata/namespace"));
    const json::array& from = row.at("cells").as_array();
    for (const Column& column : columns_) {
        std::string text = column.cell < from.size() ? cell_text(from[column.cell]) : "";
        if (column.is_name) text = style_.name_prefix + text;
        cells.push_back(std::move(text));
    }
    if (style_.show_labels) cells.push_back(labels_text(find_at(row, "/object/metadata/labels")));
    return cells;
}

void TableText::add(const json::value& table) {
    const json::value* columns = find_at(table, "/columnDefinitions");
    if (columns && columns->is_array() && !columns->as_array().empty()) {
        columns_.clear();
        const json::array& list = columns->as_array();
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!style_.wide && text_at(list[i], "/priority") != "0") continue;
            columns_.push_back({text_at(list[i], "/name"), text_at(list[i], "/format") == "name", i});
        }
    }
    const json::value* rows = find_at(table, "/rows");
    if (!rows || !rows->is_array()) return;
    for (const json::value& row : rows->as_array()) rows_.push_back(cells_of(row));
}

std::string TableText::take_lines() {
    if (rows_.empty()) return "";
    if (!headers_printed_ && style_.headers) {
        std::vector<std::string> headers;
        if (style_.with_namespace) headers.emplace_back("NAMESPACE");
        for (const Column& column : columns_) headers.push_back(upper(column.name));
        if (style_.show_labels) headers.emplace_back("LABELS");
        rows_.insert(rows_.begin(), std::move(headers));
    }
    headers_printed_ = true;
    for (const std::vector<std::string>& row : rows_) {
        widths_.resize(std::max(widths_.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], text_width(row[i]));
    }
    std::string out;
    for (const std::vector<std::string>& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            out += row[i];
            if (i + 1 < row.size()) out.append(widths_[i] + 3 - text_width(row[i]), ' ');
        }
        out += '\n';
    }
    rows_.clear();
    return out;
}

}  // namespace muster::cli
