#include "cli/complete.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "cli/arguments.h"

namespace muster::cli {
namespace {

using Names = std::vector<std::string>;

// Values that do not depend on the server, by flag; of --output by verb, too.
const std::map<std::string, Names, std::less<>> kFixedValues{
    {"get --output", {"json", "yaml", "wide", "name", "jsonpath="}},
    {"apply --output", {"name", "json", "yaml"}},
    {"delete --output", {"name"}},
    {"api-resources --output", {"wide", "name"}},
    {"--dry-run", {"none", "client", "server"}},
    {"--validate", {"strict", "warn", "ignore"}},
    {"--cascade", {"background", "foreground", "orphan"}},
    {"--for", {"condition=", "jsonpath=", "delete", "create"}},
    {"--node", {"process", "simulated", "none"}},
    {"--log-format", {"text", "json"}},
};
constexpr std::string_view kFileFlags[] = {"--filename",  "--kubeconfig", "--config", "--token-auth-file",
                                           "--audit-log", "--data-dir",   "--workdir"};
constexpr std::string_view kServerFlags[] = {"--kubeconfig", "--context", "--namespace"};
constexpr std::string_view kTypedVerbs[] = {"get", "describe", "delete", "wait"};

bool is_one_of(std::string_view word, const auto& list) {
    return std::ranges::find(list, word) != std::ranges::end(list);
}

Names split_words(const std::string& text) {
    std::istringstream in(text);
    Names out;
    for (std::string word; in >> word;) out.push_back(std::move(word));
    return out;
}

class Completer {
public:
    Completer(const CLI::App& app, const AskMuster& ask) : app_(app), ask_(ask) {}

    Completions run(const Names& words) {
        const std::string typed = words.empty() ? "" : words.back();
        const Names before = with_verb_first({words.begin(), words.end() - (words.empty() ? 0 : 1)});
        if (before.empty()) {
            add_verbs(typed);
            return std::move(out_);
        }
        // Flags that may stand before the verb are those of any that talks to a server.
        const bool has_verb = !before.front().starts_with('-');
        verb_ = find_verb(has_verb ? before.front() : "get");
        if (!verb_) return std::move(out_);
        for (std::size_t i = has_verb ? 1 : 0; i < before.size(); ++i) read(before[i]);
        if (!pending_.empty()) {
            add_values(pending_, typed == "=" ? "" : typed, "");
        } else if (!has_verb) {
            add_verbs(typed);
        } else if (typed.starts_with("--") && typed.find('=') != std::string::npos) {
            const std::size_t sign = typed.find('=');
            add_values(typed.substr(0, sign), typed.substr(sign + 1), typed.substr(0, sign + 1));
        } else if (typed.starts_with('-')) {
            add_flags(typed);
        } else {
            add_arguments(typed);
        }
        return std::move(out_);
    }

private:
    const CLI::App* find_verb(const std::string& name) const {
        const auto found = app_.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
        return found.empty() ? nullptr : found.front();
    }

    // The long name of a flag that takes a value; empty for any other word.
    std::string valued_flag(const std::string& word) const {
        const CLI::Option* option = verb_->get_option_no_throw(word);
        if (!option || option->get_items_expected_max() == 0 || option->get_lnames().empty()) return "";
        return "--" + option->get_lnames().front();
    }

    // One word that stands there already.
    void read(const std::string& word) {
        if (!pending_.empty()) {
            if (word == "=") return;  // a shell has taken --flag=value apart
            values_[pending_] = word;
            pending_.clear();
        } else if (word.starts_with("--")) {
            const std::size_t sign = word.find('=');
            const std::string flag = valued_flag(word.substr(0, sign));
            if (sign == std::string::npos)
                pending_ = flag;
            else if (!flag.empty())
                values_[flag] = word.substr(sign + 1);
        } else if (word.starts_with('-') && word.size() > 1) {
            read_short(word);
        } else {
            arguments_.push_back(word);
        }
    }

    void read_short(const std::string& word) {
        for (std::size_t i = 1; i < word.size(); ++i) {
            const std::string flag = valued_flag(std::string{'-', word[i]});
            if (flag.empty()) continue;
            const std::size_t value = i + 1 < word.size() && word[i + 1] == '=' ? i + 2 : i + 1;
            if (i + 1 == word.size())
                pending_ = flag;
            else
                values_[flag] = word.substr(value);
            return;
        }
    }

    void add(const Names& names, const std::string& typed, const std::string& prefix = "") {
        for (const std::string& name : names)
            if (name.starts_with(typed)) out_.words.push_back(prefix + name);
    }

    void add_verbs(const std::string& typed) {
        for (const CLI::App* verb : app_.get_subcommands([](const CLI::App*) { return true; })) {
            const std::string about = verb->get_description();
            if (verb->get_name().starts_with(typed))
                out_.words.push_back(verb->get_name() + "\t" + about.substr(0, about.find('\n')));
        }
    }

    void add_flags(const std::string& typed) {
        Names flags;
        for (const CLI::Option* option : verb_->get_options())
            for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
        add(flags, typed);
    }

    void add_values(const std::string& flag, const std::string& typed, const std::string& prefix) {
        auto fixed = kFixedValues.find(verb_->get_name() + " " + flag);
        if (fixed == kFixedValues.end()) fixed = kFixedValues.find(flag);
        if (fixed != kFixedValues.end()) add(fixed->second, typed, prefix);
        if (flag == "--namespace") add(names_of("namespaces"), typed, prefix);
        if (flag == "--container" && !arguments_.empty()) add(containers_of(arguments_.front()), typed, prefix);
        out_.files = out_.files || is_one_of(flag, kFileFlags);
    }

    void add_arguments(const std::string& typed) {
        const std::string verb = verb_->get_name();
        if (is_one_of(verb, kTypedVerbs)) {
            add_objects(typed);
        } else if (verb == "logs" && arguments_.empty()) {
            if (typed.find('/') != std::string::npos)
                add_objects(typed);
            else
                add(names_of("pods"), typed);
        } else if (verb == "logs" && arguments_.size() == 1) {
            add(containers_of(arguments_.front()), typed);
        } else if (verb == "help" && arguments_.empty()) {
            add_verbs(typed);
        } else if (verb == "completion" && arguments_.empty()) {
            add({"bash", "zsh", "fish"}, typed);
        } else if (verb == "run" || (verb == "backup" && arguments_.empty())) {
            out_.files = true;
        }
    }

    // TYPE, TYPE,TYPE, TYPE/NAME, or names behind a type.
    void add_objects(const std::string& typed) {
        if (const std::size_t slash = typed.find('/'); slash != std::string::npos)
            return add(names_of(typed.substr(0, slash)), typed.substr(slash + 1), typed.substr(0, slash + 1));
        if (!arguments_.empty() && arguments_.front().find('/') == std::string::npos) {
            Names names = names_of(arguments_.front());
            std::erase_if(names, [&](const std::string& name) { return is_one_of(name, arguments_); });
            return add(names, typed);
        }
        const std::size_t comma = typed.rfind(',');
        const std::size_t start = comma == std::string::npos ? 0 : comma + 1;
        add(split_words(ask_with_server({"api-resources", "-o", "name"})), typed.substr(start), typed.substr(0, start));
    }

    // Asked of the server that the command itself would ask.
    std::string ask_with_server(Names arguments) const {
        for (const std::string_view flag : kServerFlags)
            if (const auto found = values_.find(std::string(flag)); found != values_.end())
                arguments.push_back(std::string(flag) + "=" + found->second);
        return ask_(arguments);
    }

    Names names_of(const std::string& type) const {
        return split_words(ask_with_server({"get", type, "-o", "jsonpath={.items[*].metadata.name}"}));
    }

    Names containers_of(const std::string& pod) const {
        return split_words(ask_with_server({"get", "pods", pod, "-o", "jsonpath={.spec.containers[*].name}"}));
    }

    const CLI::App& app_;
    const AskMuster& ask_;
    const CLI::App* verb_ = nullptr;
    std::string pending_;  // the flag whose value comes next
    std::map<std::string, std::string> values_;
    Names arguments_;
    Completions out_;
};

}  // namespace

Completions complete_words(const CLI::App& app, const std::vector<std::string>& words, const AskMuster& ask) {
    return Completer(app, ask).run(words);
}

}  // namespace muster::cli
