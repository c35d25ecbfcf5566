#include "controllers/queue/admission/queues/queue_status.h"

#include <cmath>

#include "api/kinds/conditions.h"
#include "api/kinds/kueue/kueue_names.h"
#include "base/saturate.h"
#include "controllers/queue/admission/engine/translate.h"
#include "controllers/queue/workload/words.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
using api::meta::Condition;

Activity inactive(Word word) { return {false, reason_of(word), say(word)}; }

// All that keeps a ClusterQueue from admitting; the reason is that of the first.
class Obstacles {
public:
    void add(Word word) { add_text(word, say(word)); }
    void add(Word word, const std::vector<Text>& missing) {
        std::string list;
        for (const Text& name : missing) list += (list.empty() ? "" : ",") + name.str();
        if (!missing.empty()) add_text(word, say(word, {list}));
    }
    bool none() const { return text_.empty(); }
    Activity activity() const { return {false, reason_, "Can't admit new workloads: " + text_ + "."}; }

private:
    void add_text(Word word, const std::string& text) {
        if (text_.empty()) reason_ = reason_of(word);
        text_ += (text_.empty() ? "" : ", ") + text;
    }

    const char* reason_ = "";
    std::string text_;
};

void set_active(List<Condition>& conditions, const Activity& activity, std::int64_t generation, Instant now) {
    api::set_condition(conditions,
                       {kueue::kActiveCondition, api::condition_status(activity.active), activity.reason,
                        activity.message, generation},
                       api::Time::from_instant(now));
}

std::int64_t rounded(const Share& share) { return saturate_cast<std::int64_t>(std::ceil(share.value())); }

List<kueue::FlavorUsage> list_usage(const kueue::ClusterQueue& queue, const Usage& usage, Names& names) {
    List<kueue::FlavorUsage> out;
    for (const kueue::ResourceGroup& group : queue.spec.resource_groups) {
        for (const kueue::FlavorQuotas& flavor : group.flavors) {
            kueue::FlavorUsage of_flavor;
            of_flavor.name = flavor.name;
            for (const kueue::ResourceQuota& quota : flavor.resources) {
                const Slot slot = names.slot(names.flavor(flavor.name), names.resource(quota.name));
                const Amount total = QueueCounts::find(usage, slot);
                const Amount nominal = amount_of(quota.name, quota.nominal_quota);
                kueue::ResourceUsage it;
                it.name = quota.name;
                it.total = quantity_of(quota.name, total);
                const bool borrows = !queue.spec.cohort_name.empty() && total > nominal;
                it.borrowed = quantity_of(quota.name, borrows ? minus(total, nominal) : 0);
                of_flavor.resources.edit().push_back(std::move(it));
            }
            out.edit().push_back(std::move(of_flavor));
        }
    }
    return out;
}

List<kueue::LocalQueueFlavorUsage> list_local_usage(const kueue::ClusterQueue& queue, const Usage& usage,
                                                    Names& names) {
    List<kueue::LocalQueueFlavorUsage> out;
    for (const kueue::ResourceGroup& group : queue.spec.resource_groups) {
        for (const kueue::FlavorQuotas& flavor : group.flavors) {
            kueue::LocalQueueFlavorUsage of_flavor;
            of_flavor.name = flavor.name;
            for (const kueue::ResourceQuota& quota : flavor.resources) {
                const Slot slot = names.slot(names.flavor(flavor.name), names.resource(quota.name));
                kueue::LocalQueueResourceUsage it;
                it.name = quota.name;
                it.total = quantity_of(quota.name, QueueCounts::find(usage, slot));
                of_flavor.resources.edit().push_back(std::move(it));
            }
            out.edit().push_back(std::move(of_flavor));
        }
    }
    return out;
}

}  // namespace

Stop parse_stop(const std::optional<Text>& policy) {
    if (!policy) return Stop::kNone;
    if (*policy == kueue::kStopHold) return Stop::kHold;
    return *policy == kueue::kStopHoldAndDrain ? Stop::kHoldAndDrain : Stop::kNone;
}

Activity find_activity(const kueue::ClusterQueue& queue, const QueueNeeds& known) {
    if (queue.metadata.deletion_timestamp) return inactive(Word::kClusterQueueTerminating);
    Obstacles obstacles;
    if (parse_stop(queue.spec.stop_policy) != Stop::kNone) obstacles.add(Word::kClusterQueueStopped);
    if (known.in_cycle) obstacles.add(Word::kClusterQueueCycle);
    std::vector<Text> flavors;
    for (const kueue::ResourceGroup& group : queue.spec.resource_groups)
        for (const kueue::FlavorQuotas& flavor : group.flavors)
            if (!known.has_flavor(flavor.name)) flavors.push_back(flavor.name);
    obstacles.add(Word::kFlavorsMissing, flavors);
    std::vector<Text> missing;
    std::vector<Text> asleep;
    if (queue.spec.admission_checks_strategy) {
        for (const auto& rule : queue.spec.admission_checks_strategy->admission_checks) {
            const std::optional<bool> active = known.check_active(rule.name);
            if (!active)
                missing.push_back(rule.name);
            else if (!*active)
                asleep.push_back(rule.name);
        }
    }
    obstacles.add(Word::kChecksMissing, missing);
    obstacles.add(Word::kChecksInactive, asleep);
    if (obstacles.none()) return {true, reason_of(Word::kClusterQueueReady), say(Word::kClusterQueueReady)};
    return obstacles.activity();
}

Activity find_activity(const kueue::LocalQueue& queue, const Activity* cluster_queue) {
    if (parse_stop(queue.spec.stop_policy) != Stop::kNone) return inactive(Word::kLocalQueueStopped);
    if (!cluster_queue) return inactive(Word::kLocalQueueNoClusterQueue);
    if (!cluster_queue->active) return inactive(Word::kLocalQueueClusterQueueInactive);
    return {true, reason_of(Word::kLocalQueueReady), say(Word::kLocalQueueReady)};
}

kueue::ClusterQueueStatus make_status(const kueue::ClusterQueue& queue, const Activity& activity,
                                      const QueueCounts& counts, const std::optional<Share>& share, Names& names,
                                      Instant now) {
    kueue::ClusterQueueStatus status = queue.status;
    set_active(status.conditions, activity, queue.metadata.generation, now);
    status.pending_workloads = counts.pending + counts.inadmissible;
    status.reserving_workloads = counts.reserving;
    status.admitted_workloads = counts.admitted;
    status.flavors_reservation = list_usage(queue, counts.reserved, names);
    status.flavors_usage = list_usage(queue, counts.used, names);
    if (share)
        status.fair_sharing.edit().weighted_share = rounded(*share);
    else
        status.fair_sharing.reset();
    return status;
}

kueue::CohortStatus make_status(const kueue::Cohort& cohort, const std::optional<Share>& share) {
    kueue::CohortStatus status = cohort.status;
    if (share)
        status.fair_sharing.edit().weighted_share = rounded(*share);
    else
        status.fair_sharing.reset();
    return status;
}

kueue::LocalQueueStatus make_status(const kueue::LocalQueue& queue, const Activity& activity,
                                    const kueue::ClusterQueue* cluster_queue, const QueueCounts& counts, Names& names,
                                    Instant now) {
    kueue::LocalQueueStatus status = queue.status;
    set_active(status.conditions, activity, queue.metadata.generation, now);
    status.pending_workloads = counts.pending + counts.inadmissible;
    status.reserving_workloads = 0;
    status.admitted_workloads = 0;
    status.flavors_reservation = {};
    status.flavors_usage = {};
    // Without it there is no quota that workloads could hold.
    if (!cluster_queue) return status;
    status.reserving_workloads = counts.reserving;
    status.admitted_workloads = counts.admitted;
    status.flavors_reservation = list_local_usage(*cluster_queue, counts.reserved, names);
    status.flavors_usage = list_local_usage(*cluster_queue, counts.used, names);
    return status;
}

}  // namespace muster::controllers::queue
