#include "cli/completion.h"

namespace muster::cli {
namespace {

// Bash takes "--output=js" apart at the sign; the program knows that.
constexpr const char* kBash = R"(# bash completion for muster. To use it now: source <(muster completion bash)
_muster() {
    local IFS=$'\n' line word=${COMP_WORDS[COMP_CWORD]}
    [ "$word" = = ] && word=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$word")) ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(muster __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case ${COMPREPLY[0]} in
        *[=/]) compopt -o nospace 2>/dev/null ;;
    esac
}
complete -F _muster muster
)";

constexpr const char* kZsh = R"(#compdef muster
# zsh completion for muster. To use it now: source <(muster completion zsh)
_muster() {
    local line
    local -a open closed
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        case $line in
            :files) _files ;;
            *[=/]) open+=("$line") ;;
            *) closed+=("$line") ;;
        esac
    done < <(muster __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( $#open )) && compadd -S '' -- "${open[@]}"
    (( $#closed )) && compadd -- "${closed[@]}"
}
if [ "$funcstack[1]" = _muster ]; then _muster; else compdef _muster muster; fi
)";

constexpr const char* kFish = R"(# fish completion for muster. To use it now: muster completion fish | source
function __muster_complete
    set -l typed (commandline -opc)
    set -l word (commandline -ct)
    for line in (muster __complete $typed[2..-1] "$word" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$word"
        else
            echo "$line"
        end
    end
end
complete -c muster -f -a '(__muster_complete)'
)";

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
    if (shell == "bash") return std::string(kBash);
    if (shell == "zsh") return std::string(kZsh);
    if (shell == "fish") return std::string(kFish);
    return Error{Code::kBadRequest,
                 "there is no completion for '" + std::string(shell) + "', only for bash, zsh and fish"};
}

}  // namespace muster::cli
