// What the server counts, under the names that Kubernetes' dashboards know, and what its process uses. On the loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "server/rest/route.h"
#include "store/store.h"

namespace muster::server {

class ServerMetrics {
public:
    ServerMetrics();
    ~ServerMetrics();

    // One request was answered. Watches are counted when they begin, and their time is not measured.
    void observe_request(const Route& route, int code, Duration latency, bool is_watch);

    struct Now {
        store::StoreStats store{};
        store::Revision revision = 0;
        std::size_t buffered = 0;  // bytes that are kept for clients
        std::size_t watches = 0;
        std::size_t reads = 0;   // under way
        std::size_t writes = 0;  //
        std::size_t waiting = 0;
        std::vector<std::pair<std::string, std::size_t>> stored{};  // objects of each resource: "jobs.batch"
    };
    // The text of /metrics.
    std::string format(const Now& now);

private:
    struct Families;
    std::unique_ptr<Families> families_;
};

}  // namespace muster::server
