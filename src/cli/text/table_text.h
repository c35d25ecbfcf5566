// The server's tables as the lines that `get` prints.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace muster::cli {

struct TableStyle {
    bool wide = false;
    bool headers = true;
    bool with_namespace = false;  // a first column says where
    bool show_labels = false;     // a last column says how they are labelled
    std::string name_prefix{};    // "job.batch/" before names, when types are mixed
};

// Takes tables in as they come (parts of a list, events of a watch) and gives out lines. Columns keep the width they
// were first printed with, or grow.
class TableText {
public:
    explicit TableText(TableStyle style) : style_(std::move(style)) {}

    // The rows of a Table; its columns too when it brings some.
    void add(const boost::json::value& table);
    bool empty() const { return rows_.empty(); }
    // The lines of what was added since the last call.
    std::string take_lines();

private:
    struct Column {
        std::string name;
        bool is_name;
        std::size_t cell;
    };
    std::vector<std::string> cells_of(const boost::json::value& row) const;

    TableStyle style_;
    std::vector<Column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> rows_;
    bool headers_printed_ = false;
};

// "a=b,c=d", "<none>" without labels.
std::string labels_text(const boost::json::value* labels, const char* separator = ",");

}  // namespace muster::cli
