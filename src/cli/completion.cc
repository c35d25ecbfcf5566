#include "cli/completion.h"

namespace muster::cli {
namespace {

constexpr const char* kTypes = "$(muster api-resources -o name 2>/dev/null)";

std::string join(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

std::string verb_names(const std::vector<CompletedVerb>& verbs) {
    std::vector<std::string> names;
    for (const CompletedVerb& verb : verbs) names.push_back(verb.name);
    return join(names);
}

std::string typed_verbs(const std::vector<CompletedVerb>& verbs, const char* separator) {
    std::string out;
    for (const CompletedVerb& verb : verbs)
        if (verb.takes_type) out += (out.empty() ? "" : separator) + verb.name;
    return out;
}

std::string bash_script(const std::vector<CompletedVerb>& verbs) {
    std::string out =
        "# bash completion for muster. To use it now: source <(muster completion bash)\n"
        "_muster() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '" +
        verb_names(verbs) +
        "' -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    local flags=''\n"
        "    case $verb in\n";
    for (const CompletedVerb& verb : verbs) out += "        " + verb.name + ") flags='" + join(verb.flags) + "' ;;\n";
    out +=
        "    esac\n"
        "    case $word in\n"
        "        -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")); return ;;\n"
        "    esac\n";
    if (const std::string typed = typed_verbs(verbs, "|"); !typed.empty())
        out += "    case $verb in\n        " + typed +
               ")\n            [ \"$COMP_CWORD\" -eq 2 ] && COMPREPLY=($(compgen -W \"" + kTypes +
               "\" -- \"$word\")) && return ;;\n    esac\n";
    return out +
           "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
           "}\n"
           "complete -F _muster muster\n";
}

std::string zsh_script(const std::vector<CompletedVerb>& verbs) {
    return "#compdef muster\n# zsh completion for muster. To use it now: source <(muster completion zsh)\n"
           "autoload -U +X bashcompinit && bashcompinit\n" +
           bash_script(verbs);
}

std::string fish_script(const std::vector<CompletedVerb>& verbs) {
    std::string out =
        "# fish completion for muster. To use it now: muster completion fish | source\n"
        "complete -c muster -f\n";
    for (const CompletedVerb& verb : verbs) {
        std::string about;
        for (const char c : verb.about) about += c == '\'' ? std::string("\\'") : std::string(1, c);
        out += "complete -c muster -n __fish_use_subcommand -a " + verb.name + " -d '" + about + "'\n";
        for (const std::string& flag : verb.flags)
            if (flag.starts_with("--"))
                out +=
                    "complete -c muster -n '__fish_seen_subcommand_from " + verb.name + "' -l " + flag.substr(2) + "\n";
    }
    if (const std::string typed = typed_verbs(verbs, " "); !typed.empty())
        out += "complete -c muster -n '__fish_seen_subcommand_from " + typed +
               "' -a '(muster api-resources -o name 2>/dev/null)'\n";
    return out;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell, const std::vector<CompletedVerb>& verbs) {
    if (shell == "bash") return bash_script(verbs);
    if (shell == "zsh") return zsh_script(verbs);
    if (shell == "fish") return fish_script(verbs);
    return Error{Code::kBadRequest,
                 "there is no completion for '" + std::string(shell) + "', only for bash, zsh and fish"};
}

}  // namespace muster::cli
