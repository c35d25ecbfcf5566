// Rules about folders: how many files they have, and that they do not include each other in circles.
#include <algorithm>
#include <map>
#include <set>

#include "tidy/rules.h"

namespace muster::tidy {
namespace {

constexpr std::size_t kFilesMax = 40;

std::string folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

// Headers that only tests use have it in their name, too.
bool is_for_tests(const SourceFile& file) {
    return file.is_test() || file.path.find("_test", file.path.rfind('/')) != std::string::npos;
}

// Folder to the folders that it includes, each with an example.
using Graph = std::map<std::string, std::map<std::string, std::string>>;

Graph folder_graph(const SourceTree& tree) {
    Graph graph;
    for (const SourceFile& file : tree.files) {
        if (!file.is_cpp() || !file.is_under("src/") || is_for_tests(file)) continue;
        const std::string from = folder_of(file.path);
        for (const std::string_view line : lines_of(file.text)) {
            const std::string_view included = own_include(line);
            if (included.empty()) continue;
            const std::string to = "src/" + folder_of(included);
            if (to != from) graph[from].emplace(to, file.path + " includes " + std::string(included));
        }
    }
    return graph;
}

// Walks the graph depth first; a folder that is met again while it is being walked closes a circle.
class CircleSearch {
public:
    explicit CircleSearch(const Graph& graph) : graph_(graph) {}

    Findings run() {
        for (const auto& [folder, included] : graph_) walk(folder);
        return std::move(findings_);
    }

private:
    void walk(const std::string& folder) {
        if (done_.contains(folder)) return;
        path_.push_back(folder);
        const auto found = graph_.find(folder);
        if (found != graph_.end())
            for (const auto& [next, example] : found->second) {
                if (std::find(path_.begin(), path_.end(), next) != path_.end())
                    findings_.push_back(next + " and " + folder + " include each other: " + example);
                else
                    walk(next);
            }
        path_.pop_back();
        done_.insert(folder);
    }

    const Graph& graph_;
    std::vector<std::string> path_;
    std::set<std::string> done_;
    Findings findings_;
};

}  // namespace

Findings check_folder_sizes(const SourceTree& tree) {
    std::map<std::string, std::size_t> counts;
    for (const SourceFile& file : tree.files)
        if (file.is_cpp()) ++counts[folder_of(file.path)];
    Findings findings;
    for (const auto& [folder, count] : counts)
        if (count > kFilesMax)
            findings.push_back(folder + " has " + std::to_string(count) + " files, more than " +
                               std::to_string(kFilesMax) + ": split it into folders named after what they hold");
    return findings;
}

Findings check_folder_circles(const SourceTree& tree) { return CircleSearch(folder_graph(tree)).run(); }

}  // namespace muster::tidy
