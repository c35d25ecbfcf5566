// `muster completion SHELL`: the script that lets a shell complete verbs, flags and types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

struct CompletedVerb {
    std::string name;
    std::string about;
    std::vector<std::string> flags;  // "--output"
    bool takes_type = false;         // its first argument is a resource type
};

// For bash, zsh or fish; kBadRequest for any other.
Result<std::string> completion_script(std::string_view shell, const std::vector<CompletedVerb>& verbs);

}  // namespace muster::cli
