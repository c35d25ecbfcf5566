#include "os/http/http_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace muster::os {

DescriptorPlan plan_descriptors(std::size_t limit, std::size_t connections_wanted) {
    constexpr std::size_t kReserveMax = 2048;
    limit = std::min<std::size_t>(limit, std::numeric_limits<int>::max());
    const std::size_t reserve = std::clamp(limit / 4, std::min<std::size_t>(256, limit / 2), kReserveMax);
    return {.connections_max = std::min(connections_wanted, limit - reserve),
            .first_reserved = static_cast<int>(limit - reserve),
            .wanted = connections_wanted + kReserveMax};
}

std::string describe_shortage(std::size_t limit, std::size_t connections_wanted) {
    const DescriptorPlan plan = plan_descriptors(limit, connections_wanted);
    if (plan.connections_max >= connections_wanted) return {};
    return "this process may open " + std::to_string(limit) + " files, so that it serves " +
           std::to_string(plan.connections_max) + " connections at a time and not " +
           std::to_string(connections_wanted) + "; allow " + std::to_string(plan.wanted) + " (ulimit -n, LimitNOFILE=)";
}

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
