// A container whose run is prepared, for runtimes whose containers are runs (runs.h).
#pragma once

#include <utility>

#include "node/runtime/pod_runtime.h"
#include "node/runtime/runs.h"

namespace muster::node {

class CreatedRun final : public CreatedContainer {
public:
    // The runs must outlive it.
    CreatedRun(Runs& runs, RunRequest request) : runs_(runs), request_(std::move(request)) {}
    void start() override { runs_.start(std::move(request_)); }

private:
    Runs& runs_;
    RunRequest request_;
};

}  // namespace muster::node
