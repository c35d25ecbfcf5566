#include "os/loop/guard.h"

#include <cstdio>

#include "os/log/log.h"

namespace muster::os {

void report_failure(const std::string& what, const std::string& why) {
    if (log_is_on(0)) {
        LOG_ERROR("Work has failed", {"what", what}, {"err", why});
        return;
    }
    std::fprintf(stderr, "muster: %s failed: %s\n", what.c_str(), why.c_str());
}

}  // namespace muster::os
