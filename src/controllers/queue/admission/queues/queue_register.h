// The ClusterQueues, cohorts and flavors that the engine knows: passes on what has changed since the last refresh, and
// remembers of each ClusterQueue whether it admits and which namespaces it takes. No I/O.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "api/kinds/kueue/kueue.h"
#include "api/selector/label_selector.h"
#include "client/client.h"
#include "controllers/queue/admission/engine/engine.h"
#include "controllers/queue/admission/queues/queue_status.h"

namespace muster::controllers::queue {

// Which version of an object the engine knows.
struct Meaning {
    Text uid{};
    std::int64_t generation = 0;
    bool operator==(const Meaning&) const = default;
};

struct QueueInfo {
    Meaning meaning{};
    Activity activity{};
    api::LabelSelector namespaces = api::LabelSelector::nothing();
};

// All there are at the moment of a refresh.
struct QueueObjectsNow {
    std::vector<client::Ref<api::kueue::ClusterQueue>> cluster_queues{};
    std::vector<client::Ref<api::kueue::Cohort>> cohorts{};
    std::vector<client::Ref<api::kueue::ResourceFlavor>> flavors{};
    // Nothing when there is no such check, else whether its controller is at work.
    std::function<std::optional<bool>(const Text& check)> check_active{};
};

// Names of ClusterQueues.
struct QueueChanges {
    std::set<Text> changed{};  // new, edited, or admitting when they did not, and the other way round
    std::set<Text> gone{};
};

class QueueRegister {
public:
    // The engine must outlive it.
    explicit QueueRegister(Engine& engine) : engine_(engine) {}

    QueueChanges refresh(const QueueObjectsNow& now);

    // Null for a ClusterQueue that was not there at the last refresh.
    const QueueInfo* find(const Text& cluster_queue) const;
    const std::map<Text, QueueInfo>& cluster_queues() const { return infos_; }
    // Names of the cohorts that have an object.
    const std::map<Text, Meaning>& cohorts() const { return cohorts_; }

private:
    using ClusterQueue = api::kueue::ClusterQueue;

    void refresh_flavors(const QueueObjectsNow& now);
    void refresh_cohorts(const QueueObjectsNow& now);
    // Gives whether the queue's meaning or activity has changed.
    bool note_activity(const ClusterQueue& queue, const QueueNeeds& needs, QueueInfo* before);

    Engine& engine_;
    std::map<Text, QueueInfo> infos_;
    std::map<Text, Meaning> flavors_;
    std::map<Text, Meaning> cohorts_;
};

}  // namespace muster::controllers::queue
