#include "node/environment/expansion.h"

#include <algorithm>
#include <climits>
#include <functional>
#include <set>

namespace muster::node {
namespace {

// Room for what the node adds: the path of the program, HOME, the mark of the run.
constexpr std::size_t kReserve = 16u << 10;
constexpr std::size_t kPointer = sizeof(char*);

Error too_large(const WordTitle& what, std::size_t size_max) {
    return {Code::kTooLarge,
            what.str() + " has more than " + std::to_string(size_max) + " bytes when its references are expanded"};
}

// The value of a variable; null when there is none.
using FindValue = std::function<const std::string*(const std::string& name)>;

Result<std::string> expand_by(std::string_view text, const FindValue& find, std::size_t size_max,
                              const WordTitle& what) {
    std::string out;
    bool closes = true;  // a parenthesis closes somewhere ahead
    for (std::size_t at = 0; at < text.size();) {
        std::string_view piece = text.substr(at, 1);
        std::size_t taken = 1;
        if (text[at] == '$' && at + 1 < text.size()) {
            const char next = text[at + 1];
            const std::size_t close = next == '(' && closes ? text.find(')', at) : std::string_view::npos;
            if (next == '(' && close == std::string_view::npos) closes = false;
            if (close != std::string_view::npos) {
                taken = close + 1 - at;
                const std::string* value = find(std::string(text.substr(at + 2, close - at - 2)));
                piece = value ? std::string_view(*value) : text.substr(at, taken);
            } else {
                // An escaped dollar, or one that begins nothing.
                taken = 2;
                piece = next == '$' ? text.substr(at, 1) : text.substr(at, 2);
            }
        }
        if (piece.size() > size_max - out.size()) return too_large(what, size_max);
        out += piece;
        at += taken;
    }
    return out;
}

const std::string* value_in(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : &found->second;
}

bool steps_back(std::string_view path) {
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        if (path.substr(0, slash) == "..") return true;
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return false;
}

}  // namespace

WordTitle WordTitle::variable(std::string_view name) {
    constexpr std::size_t kShown = 256;
    WordTitle title("environment variable ");
    title.name_ = name.substr(0, kShown);
    return title;
}

WordTitle WordTitle::element(std::string_view field, std::size_t index) {
    WordTitle title(field);
    title.index_ = index;
    return title;
}

std::string WordTitle::str() const {
    std::string out(what_);
    out += name_;
    if (index_) out += '[' + std::to_string(*index_) + ']';
    return out;
}

Result<std::string> expand(std::string_view text, const Environment& environment, std::size_t size_max,
                           const WordTitle& what) {
    return expand_by(
        text, [&](const std::string& name) { return value_in(environment, name); }, size_max, what);
}

Result<std::string> expand_sub_path(std::string_view text, const Environment& environment) {
    std::set<std::string> missing;
    const auto find = [&](const std::string& name) {
        const std::string* value = value_in(environment, name);
        if (!value || value->empty()) missing.insert(name);
        return value;
    };
    TRY_ASSIGN(std::string path, expand_by(text, find, PATH_MAX - 1, "subPathExpr"));
    if (!missing.empty()) {
        std::string names;
        for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
        return Error{Code::kInvalid, "missing value for " + names};
    }
    if (path.starts_with('/'))
        return Error{Code::kInvalid, "error SubPath `" + path + "` must not be an absolute path"};
    if (steps_back(path))
        return Error{Code::kInvalid, "unable to provision SubPath `" + path + "`: must not contain '..'"};
    return path;
}

Result<void> ExecBudget::add(std::size_t word_size, const WordTitle& what) {
    if (word_size > word_max())
        return Error{Code::kTooLarge, what.str() + " has more than " + std::to_string(word_max()) +
                                          " bytes, more than the kernel passes to a program"};
    used_ += word_size + 1 + kPointer;
    if (used_ + kReserve > limits_.all_max)
        return Error{Code::kTooLarge, what.str() + " makes the environment and the command larger than " +
                                          std::to_string(limits_.all_max) +
                                          " bytes, more than the kernel passes to a program"};
    return {};
}

Result<std::vector<std::string>> expand_probe_command(const api::core::Container& container, const List<Text>& command,
                                                      const os::ExecLimits& limits) {
    Environment written;
    for (const auto& variable : container.env) written[variable.name.str()] = variable.value.str();
    ExecBudget budget(limits);
    std::vector<std::string> words;
    for (const Text& word : command) {
        const WordTitle what = WordTitle::element("command", words.size());
        TRY_ASSIGN(std::string expanded, expand(word, written, budget.word_max(), what));
        TRY(budget.add(expanded.size(), what));
        words.push_back(std::move(expanded));
    }
    return words;
}

}  // namespace muster::node
