// The project's own text files, as the tidy rules read them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tidy {

struct SourceFile {
    std::string path;  // from the root: "src/base/text.h"
    std::string text;

    bool ends_with(std::string_view suffix) const { return std::string_view(path).ends_with(suffix); }
    bool is_under(std::string_view folder) const { return std::string_view(path).starts_with(folder); }
    bool is_header() const { return ends_with(".h"); }
    bool is_source() const { return ends_with(".cc"); }
    bool is_cpp() const { return is_header() || is_source(); }
    // Code that no product binary contains.
    bool is_test() const { return ends_with("_test.cc") || path.find("/testing/") != std::string::npos; }
};

struct SourceTree {
    std::vector<SourceFile> files;  // by path

    bool has(std::string_view path) const;       // a file of exactly this path
    bool mentions(std::string_view text) const;  // somewhere in the C++ of src/
};

// Reads what is under `root`: C++, CMake, Markdown and scripts, without what a build leaves behind.
SourceTree read_tree(const std::filesystem::path& root);

// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace muster::tidy
