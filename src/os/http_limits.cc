#include "os/http_limits.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace muster::os {

std::size_t raise_descriptor_limit() {
    rlimit limit{};
    CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0, std::strerror(errno));
    if (limit.rlim_cur < limit.rlim_max) {
        const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    return limit.rlim_cur;
}

}  // namespace muster::os
