// Columns for people: tabs become spaces, as many as the widest cell nearby needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::cli {

// In each run of lines that have a column in common, the column is as wide as its widest cell plus `padding`. What
// stands after a line's last tab is no column.
std::string align_columns(std::string_view text, std::size_t padding);

// How many characters a text has, counting those of more than one byte once.
std::size_t text_width(std::string_view text);

}  // namespace muster::cli
