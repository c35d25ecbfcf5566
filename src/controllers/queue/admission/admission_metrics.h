// What admission counts, under Kueue's names.
#pragma once

#include <string_view>

#include "api/kinds/kueue.h"
#include "client/metrics.h"
#include "controllers/queue/admission/engine.h"
#include "controllers/queue/admission/ledger.h"

namespace muster::controllers::queue {

class AdmissionMetrics {
public:
    explicit AdmissionMetrics(client::Metrics& metrics) : metrics_(metrics) {}

    void attempted(bool success, double seconds);
    void reserved(const Text& queue, double waited);
    void admitted(const Text& queue, double waited, double waited_for_checks);
    void evicted(const Text& queue, std::string_view reason);
    void preempted(const Text& preempting_queue, std::string_view reason);
    void finished(const Text& queue);
    // How a queue stands.
    void stands(const api::kueue::ClusterQueue& queue, bool active, const QueueCounts& counts, const Share& share,
                Names& names);

private:
    client::Metrics& metrics_;
};

}  // namespace muster::controllers::queue
