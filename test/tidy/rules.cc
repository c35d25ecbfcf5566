#include "tidy/rules.h"

#include <algorithm>
#include <map>
#include <set>

namespace muster::tidy {
namespace {

using Words = std::set<std::string, std::less<>>;

constexpr std::size_t kLinesMax = 800;

// What each folder of src/ may include besides itself. cli and main may include everything.
const std::map<std::string, Words, std::less<>> kMayInclude{
    {"base", {}},
    {"os", {"base"}},
    {"api", {"base"}},
    {"tally", {"base", "api"}},
    {"store", {"base", "os"}},
    {"client", {"base", "os", "api"}},
    {"server", {"base", "os", "api", "store", "client"}},
    {"controllers", {"base", "os", "api", "tally", "client"}},
    {"scheduler", {"base", "os", "api", "tally", "client"}},
    {"node", {"base", "os", "api", "tally", "client"}},
    {"assembly", {"base", "os", "api", "client", "controllers", "scheduler"}},
    {"webhook", {"base", "os", "api", "client", "server", "controllers"}},
    {"endpoints", {"base", "os", "api", "client"}},
    {"manifests", {"base", "api", "assembly", "webhook"}},
};
const Words kComposers{"cli", "main"};

// Longer than kLinesMax, and why.
const Words kLong{};

// The n-th part of a path, or nothing.
std::string_view part(std::string_view path, std::size_t n) {
    for (; n > 0; --n) {
        const std::size_t slash = path.find('/');
        if (slash == std::string_view::npos) return {};
        path.remove_prefix(slash + 1);
    }
    return path.substr(0, path.find('/'));
}
std::size_t depth(std::string_view path) { return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')); }

bool may_include(std::string_view folder, std::string_view included) {
    if (kComposers.contains(folder)) return kMayInclude.contains(included) || kComposers.contains(included);
    const auto allowed = kMayInclude.find(folder);
    return included == folder || (allowed != kMayInclude.end() && allowed->second.contains(included));
}

// The controller a path belongs to: "job" for controllers/job/decide.h, nothing for what they share.
std::string_view controller_of(std::string_view path) {
    const bool shared = part(path, 0) != "controllers" || depth(path) < 2 || part(path, 1) == "testing";
    return shared ? std::string_view() : part(path, 1);
}

std::string include_problem(const SourceFile& file, std::string_view from, std::string_view included) {
    if (!may_include(part(from, 0), part(included, 0)))
        return std::string(part(from, 0)) + " may not include " + std::string(included);
    if (included.find("/testing/") != std::string_view::npos && !file.is_test())
        return "only tests may include " + std::string(included);
    const std::string_view own = controller_of(from);
    const std::string_view other = controller_of(included);
    if (!own.empty() && !other.empty() && own != other)
        return "controllers do not include each other: " + std::string(included);
    return {};
}

std::string stem_of(const SourceFile& file) { return file.path.substr(0, file.path.rfind('.')); }

bool is_word_char(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// The texts between single backticks of one line.
std::vector<std::string_view> quoted(std::string_view line) {
    std::vector<std::string_view> out;
    for (std::size_t start = line.find('`'); start != std::string_view::npos;) {
        const std::size_t end = line.find('`', start + 1);
        if (end == std::string_view::npos) break;
        out.push_back(line.substr(start + 1, end - start - 1));
        start = line.find('`', end + 1);
    }
    return out;
}

bool names_a_path(std::string_view text) {
    static const Words kTops{"src",      "sim",         "bench", "fuzz",    "test", "docs",
                             "examples", "conformance", "web",   "scripts", "cmake"};
    return text.find('/') != std::string_view::npos && kTops.contains(part(text, 0)) &&
           text.find_first_of(" *<>…{}[]") == std::string_view::npos;
}
bool names_a_function(std::string_view text) {
    return text.ends_with("()") && text.size() > 2 &&
           std::all_of(text.begin(), text.end() - 2, [](char c) { return is_word_char(c); });
}

// "Suite.Name"
bool names_a_test(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto is_allowed = [&](char c) { return c == '.' || is_upper(c) || is_word_char(c); };
    return is_upper(text[0]) && is_upper(text[dot + 1]) && text.find('.', dot + 1) == std::string_view::npos &&
           std::all_of(text.begin(), text.end(), is_allowed);
}
bool has_test(const SourceTree& tree, std::string_view name) {
    const std::size_t dot = name.find('.');
    const std::string written = '(' + std::string(name.substr(0, dot)) + ", " + std::string(name.substr(dot + 1)) + ')';
    return std::any_of(tree.files.begin(), tree.files.end(), [&](const SourceFile& file) {
        return file.is_test() && file.text.find(written) != std::string::npos;
    });
}

bool exists(const SourceTree& tree, std::string_view path) {
    if (path.ends_with('/')) path.remove_suffix(1);
    const std::string folder = std::string(path) + "/";
    return tree.has(path) || std::any_of(tree.files.begin(), tree.files.end(),
                                         [&](const SourceFile& file) { return file.is_under(folder); });
}

}  // namespace

std::string_view own_include(std::string_view line) {
    constexpr std::string_view kStart = "#include \"";
    if (!line.starts_with(kStart)) return {};
    line.remove_prefix(kStart.size());
    return line.substr(0, line.find('"'));
}

std::string finding_at(const SourceFile& file, std::size_t line_index, std::string_view what) {
    return file.path + ":" + std::to_string(line_index + 1) + ": " + std::string(what);
}

Findings check_includes(const SourceFile& file) {
    Findings findings;
    if (!file.is_cpp() || !file.is_under("src/")) return findings;
    const std::string_view from = std::string_view(file.path).substr(4);
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view included = own_include(lines[i]);
        if (included.empty()) continue;
        const std::string problem = include_problem(file, from, included);
        if (!problem.empty()) findings.push_back(finding_at(file, i, problem));
    }
    return findings;
}

Findings check_length(const SourceFile& file) {
    const std::size_t count = lines_of(file.text).size();
    if (!file.is_cpp() || count <= kLinesMax || kLong.contains(file.path)) return {};
    return {
        finding_at(file, kLinesMax, "more than " + std::to_string(kLinesMax) + " lines: name its ideas and split it")};
}

Findings check_unfinished(const SourceFile& file) {
    // In two pieces, so that this file passes.
    static const std::string kMarks[] = {std::string("TO") + "DO", std::string("FIX") + "ME"};
    Findings findings;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (const std::string& mark : kMarks)
            if (lines[i].find(mark) != std::string_view::npos) findings.push_back(finding_at(file, i, "says " + mark));
    return findings;
}

Findings check_tabs(const SourceFile& file) {
    Findings findings;
    if (file.path == "Makefile") return findings;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find('\t') != std::string_view::npos) findings.push_back(finding_at(file, i, "has a tab"));
    return findings;
}

Findings check_test_namespace(const SourceFile& file) {
    Findings findings;
    if (!file.path.ends_with("_test.cc")) return findings;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i] == "namespace {") findings.push_back(finding_at(file, i, "name the namespace after the file"));
    return findings;
}

Findings check_name(const SourceFile& file) {
    static const Words kEmptyWords{"util", "utils", "helper", "helpers", "manager", "common", "impl"};
    std::string word;
    for (const char c : file.path + "/") {
        if (c != '/' && c != '_' && c != '.' && c != '-') {
            word += c;
            continue;
        }
        if (kEmptyWords.contains(word)) return {finding_at(file, 0, "'" + word + "' says nothing: name what it holds")};
        word.clear();
    }
    return {};
}

Findings check_header(const SourceFile& file) {
    Findings findings;
    if (!file.is_header()) return findings;
    if (!file.text.starts_with("// ")) findings.push_back(finding_at(file, 0, "a header starts with what it is"));
    if (file.text.find("\n#pragma once\n") == std::string::npos)
        findings.push_back(finding_at(file, 0, "has no #pragma once"));
    return findings;
}

Findings check_introduced(const SourceFile& file, const SourceTree& tree) {
    if (!file.is_source() || file.text.empty() || file.text.starts_with("// ")) return {};
    std::string stem = stem_of(file);
    for (const std::string_view suffix : {"_test", "_bench"})
        if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
    if (tree.has(stem + ".h") || (stem != stem_of(file) && tree.has(stem + ".cc"))) return {};
    return {finding_at(file, 0, "says nowhere what it is: no header of its name, no comment in its first line")};
}

Findings check_document(const SourceFile& file, const SourceTree& tree) {
    Findings findings;
    if (!file.ends_with(".md") || (depth(file.path) != 0 && !file.is_under("docs/"))) return findings;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (const std::string_view name : quoted(lines[i])) {
            if (names_a_path(name) && !exists(tree, name))
                findings.push_back(finding_at(file, i, std::string(name) + " is not in the tree"));
            if (names_a_function(name) && !tree.mentions(name.substr(0, name.size() - 1)))
                findings.push_back(finding_at(file, i, std::string(name) + " is not in src/"));
            if (names_a_test(name) && !has_test(tree, name))
                findings.push_back(finding_at(file, i, "there is no test " + std::string(name)));
        }
    }
    return findings;
}

}  // namespace muster::tidy
