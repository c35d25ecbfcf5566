// The environment and the terminal that this process got from its parent.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::os {

// In the order given; entries without '=' are left out.
std::vector<std::pair<std::string, std::string>> caller_environment();

bool is_terminal(int descriptor);
// In characters; `otherwise` when the descriptor is no terminal or does not know.
int terminal_width(int descriptor, int otherwise);

}  // namespace muster::os
