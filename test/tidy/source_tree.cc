#include "tidy/source_tree.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace muster::tidy {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"src",   "sim",  "bench",   "fuzz",     "test", "conformance",
                                    "cmake", "docs", "scripts", "examples", ".ci"};

bool is_read(const fs::path& path) {
    if (path.string().find("/corpus/") != std::string::npos) return false;  // inputs, as bad as they like
    const std::string suffix = path.extension().string();
    return suffix == ".h" || suffix == ".cc" || suffix == ".cmake" || suffix == ".md" || suffix == ".sh" ||
           suffix == ".yaml" || suffix.empty() || path.filename() == "CMakeLists.txt";
}

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

bool SourceTree::has(std::string_view path) const {
    return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) { return file.path == path; });
}

bool SourceTree::mentions(std::string_view text) const {
    return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
        return file.is_cpp() && file.is_under("src/") && file.text.find(text) != std::string::npos;
    });
}

SourceTree read_tree(const fs::path& root) {
    SourceTree tree;
    const auto take = [&](const fs::path& path) {
        if (is_read(path)) tree.files.push_back({fs::relative(path, root).generic_string(), read_file(path)});
    };
    for (const auto& entry : fs::directory_iterator(root))
        if (entry.is_regular_file() && entry.path().filename().string().front() != '.') take(entry.path());
    for (const char* folder : kFolders) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file()) take(entry.path());
    }
    std::sort(tree.files.begin(), tree.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return tree;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace muster::tidy
