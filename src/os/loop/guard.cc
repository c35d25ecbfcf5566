#include "os/loop/guard.h"

#include <cstdio>

namespace muster::os {

void report_failure(const std::string& what, const std::string& why) {
    std::fprintf(stderr, "muster: %s failed: %s\n", what.c_str(), why.c_str());
}

}  // namespace muster::os
