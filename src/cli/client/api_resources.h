// `muster api-resources`: what the server has.
#pragma once

#include <optional>

#include "cli/connection/resources.h"

namespace muster::cli {

struct ApiResourcesOptions {
    std::string output{};  // "", wide, name
    bool headers = true;
    std::optional<bool> namespaced{};
    std::optional<std::string> group{};
    std::vector<std::string> verbs{};
};

int run_api_resources(const ApiResourcesOptions& options, Session& session);

}  // namespace muster::cli
