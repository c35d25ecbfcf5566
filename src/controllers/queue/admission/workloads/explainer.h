// Says why Workloads wait, a few at a time and behind everything else: after a Workload has waited for `explain_after`,
// again when the reason is another, and every `explain_every`, as the numbers in it change.
#pragma once

#include <functional>
#include <string>

#include "controllers/queue/admission/engine/engine.h"
#include "controllers/queue/admission/model/options.h"
#include "controllers/queue/admission/workloads/workload_table.h"
#include "os/loop/loop.h"

namespace muster::controllers::queue {

class Explainer {
public:
    struct Calls {
        std::function<bool()> some_wait;
        // No Workload is admitted before the pods of others are ready.
        std::function<bool()> is_blocked;
        // The Workload is known as it is stored, and one more write is not too many.
        std::function<bool(ItemId item)> may_write;
        std::function<void(ItemId item, const Text& reason, const std::string& message)> explain;
    };

    // All must outlive it; destroying it stops it.
    Explainer(os::Loop& loop, const AdmissionOptions& options, const Engine& engine, WorkloadTable& table, Calls calls);
    ~Explainer();
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    // A Workload may wait.
    void arm();

private:
    void explain_some();
    // Whether there was something to look at.
    bool explain_one(ItemId item);

    os::Loop& loop_;
    const AdmissionOptions& options_;
    const Engine& engine_;
    WorkloadTable& table_;
    const Calls calls_;
    ItemId next_ = 0;
    os::TimerId timer_ = 0;
};

}  // namespace muster::controllers::queue
