// From a container that is to start to the request that its runtime gets: what it refers to is looked up, its
// environment, command and the setup of its process are made. One Task per start; what is refused, or is not there yet,
// is an error whose sentence its pod shows.
#pragma once

#include <string>

#include "client/client.h"
#include "node/env.h"
#include "node/pod_state.h"
#include "node/runtime.h"

namespace muster::node {

struct PreparationOptions {
    std::string directory{};         // where logs go
    Environment base_environment{};  // what every container has: PATH
    std::int64_t user_id = 0;        // whom the processes belong to
    bool pretend = false;            // nothing is run, so nothing has to be there that a run would need
};

class Preparation {
public:
    using PodRef = client::Ref<api::core::Pod>;

    // The client must outlive it, and it its Tasks.
    Preparation(client::Client& client, PreparationOptions options) : client_(client), options_(std::move(options)) {}

    // The pod must hold the step's container. kUnavailable when a volume cannot be made at the moment; any other error
    // is the container's own.
    os::Task<Result<RunRequest>> prepare(PodRef pod, StartStep step, NodeFacts facts, Text pod_ip);

private:
    os::Task<Result<Referred>> look_up(PodRef pod, References references);

    client::Client& client_;
    const PreparationOptions options_;
};

}  // namespace muster::node
