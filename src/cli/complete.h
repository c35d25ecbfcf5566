// What a word that is being typed may become: verbs, flags and their values, types, and the names of objects, for which
// the server is asked. `muster __complete WORD…` prints it for the scripts of completion.h, one a line.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace muster::cli {

inline constexpr const char* kCompleteVerb = "__complete";

struct Completions {
    std::vector<std::string> words{};  // of a verb, with what it does behind a tab
    bool files = false;                // the names of files, which the shell knows better
};

// What a command of ours prints, nothing when it fails.
using AskMuster = std::function<std::string(const std::vector<std::string>& arguments)>;

// The last of the words is the one that is being typed; it may be empty.
Completions complete_words(const CLI::App& app, const std::vector<std::string>& words, const AskMuster& ask);

}  // namespace muster::cli
