#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace muster::cli {
namespace {

// How many arguments a flag for every verb takes up, its value included; 0 when it is none.
std::size_t common_flag_width(std::string_view word) {
    for (const std::string_view flag :
         {"--kubeconfig", "--context", "--namespace", "-n", "--log-format", "--v", "-v"}) {
        if (word == flag) return 2;
        const bool is_short = flag.size() == 2;
        if (word.starts_with(flag) && (is_short || word[flag.size()] == '=')) return 1;
    }
    return 0;
}

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
    const auto found = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
    return found.empty() ? nullptr : found.front();
}

// One word of short flags, taken apart if the last of them has a value behind "=".
void add_word(const CLI::App& verb, const std::string& word, std::vector<std::string>& out) {
    const bool is_short = word.size() > 3 && word[0] == '-' && word[1] != '-';
    for (std::size_t i = 1; is_short && i + 1 < word.size(); ++i) {
        const CLI::Option* option = verb.get_option_no_throw(std::string{'-', word[i]});
        if (!option || option->get_lnames().empty()) break;
        if (word[i + 1] == '=') {
            if (i > 1) out.push_back(word.substr(0, i));
            out.push_back("--" + option->get_lnames().front() + word.substr(i + 1));
            return;
        }
        if (option->get_items_expected_max() > 0) break;  // the rest is its value
    }
    out.push_back(word);
}

}  // namespace

std::vector<std::string> with_verb_first(std::vector<std::string> arguments) {
    std::size_t verb = 0;
    while (verb < arguments.size()) {
        const std::size_t width = common_flag_width(arguments[verb]);
        if (width == 0) break;
        verb += width;
    }
    if (verb < arguments.size()) {
        const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(verb);
        std::rotate(arguments.begin(), at, at + 1);
    }
    return arguments;
}

std::vector<std::string> with_values_apart(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* verb = arguments.empty() ? nullptr : find_verb(app, arguments.front());
    if (!verb) return arguments;
    std::vector<std::string> out;
    bool is_flag = true;
    for (const std::string& word : arguments) {
        is_flag = is_flag && word != "--";
        if (is_flag)
            add_word(*verb, word, out);
        else
            out.push_back(word);
    }
    return out;
}

}  // namespace muster::cli
