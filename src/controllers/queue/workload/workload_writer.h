// How those who run pods and Jobs change their Workload: each write is based on the last, and is remembered until it
// has been seen. What was only to go and is gone already has succeeded.
#pragma once

#include "api/kinds/kueue/workload.h"
#include "client/client.h"
#include "client/metrics.h"
#include "controllers/unseen.h"
#include "os/loop/task.h"

namespace muster::controllers {

// The server will not take the object as it is, by its own rules or by those of Kueue's webhooks.
inline bool is_refused(const Error& error) { return error.code == Code::kInvalid || error.code == Code::kForbidden; }

class WorkloadWriter {
public:
    using Workload = api::kueue::Workload;
    using WorkloadRef = client::Ref<Workload>;
    using Memory = Unseen<Workload>;

    // `memory` and `client` must outlive the writer, and the writer its tasks.
    WorkloadWriter(client::Client& client, Memory& memory, WorkloadRef latest)
        : client_(client), memory_(memory), latest_(std::move(latest)) {}
    WorkloadWriter(const WorkloadWriter&) = delete;
    WorkloadWriter& operator=(const WorkloadWriter&) = delete;

    // As the last write left it; null before the first when there is none.
    const WorkloadRef& latest() const { return latest_; }

    os::Task<Result<void>> create(Workload draft);
    os::Task<Result<void>> change_spec(api::kueue::WorkloadSpec spec);
    os::Task<Result<void>> change_status(api::kueue::WorkloadStatus status);
    // Only if it is as we know it.
    os::Task<Result<void>> change_metadata(client::MetadataPatch patch);
    // Copies the admission gates of the queued object to the Workload; empty removes the annotation.
    os::Task<Result<void>> change_gates(Text gates);
    os::Task<Result<void>> remove();
    // Takes our finalizer away, whatever else has changed.
    os::Task<Result<void>> release();

private:
    void wrote(WorkloadRef written);

    client::Client& client_;
    Memory& memory_;
    WorkloadRef latest_;
};

// Tells how long a Job or a pod was without its Workload.
void observe_creation(client::Metrics& metrics, const char* kind, Duration latency);

}  // namespace muster::controllers
