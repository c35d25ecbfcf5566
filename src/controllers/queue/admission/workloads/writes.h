// Stores decisions about Workloads, one write at a time for a Workload, and afterwards knows which version is stored: a
// write that failed may have been stored anyway, so the Workload is read again until there is an answer. Until then the
// decision counts.
#pragma once

#include <functional>
#include <memory>

#include "client/client.h"
#include "client/mirror.h"
#include "controllers/queue/admission/workloads/drafts.h"
#include "controllers/queue/admission/workloads/workload_table.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers::queue {

class WorkloadWrites {
public:
    using Workload = api::kueue::Workload;
    using WorkloadRef = client::Ref<Workload>;

    // Awaited of a Workload that was not there when it was read: no version of it is the one, and what the mirror still
    // shows of it is left alone until it tells of its end.
    static constexpr std::uint64_t kVersionOfGone = UINT64_MAX;

    struct Listener {
        std::function<void(const Workload& stored, const Told& told)> stored;
        // In the end, whatever became of the write. The Workload is not busy any more.
        std::function<void(ItemId item)> ended;
    };

    // All must outlive it; destroying it stops it.
    WorkloadWrites(os::Loop& loop, client::Client& client, const client::Mirror<Workload>& workloads,
                   WorkloadTable& table, Listener listener);

    // Nothing else may be being written about the Workload.
    void begin(ItemId item, WorkloadRef before, WorkloadDraft draft);
    // The same, and waits for its end.
    os::Task<void> write(ItemId item, WorkloadRef before, std::shared_ptr<const WorkloadDraft> draft);

private:
    os::Task<void> store(ItemId item, WorkloadRef before, std::shared_ptr<const WorkloadDraft> draft);
    // Asks until there is an answer.
    os::Task<std::uint64_t> learn_version(client::ObjectName name);

    os::Loop& loop_;
    client::Client& client_;
    const client::Mirror<Workload>& workloads_;
    WorkloadTable& table_;
    const Listener listener_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers::queue
