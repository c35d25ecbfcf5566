#include "sim/workloads/queues_tree.h"

#include "api/codec/decode.h"
#include "sim/workloads/queue_manifest.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;
using api::kueue::Cohort;

api::Quantity thousandths(std::int64_t amount) { return api::Quantity::parse(std::to_string(amount) + "m").value(); }

std::optional<api::Quantity> draw_limit(Prng& random) {
    if (random.chance(1, 3)) return std::nullopt;
    return thousandths(100 * random.between(0, kQuotaLeast / 100));
}

template <class Spec>
void draw_quotas(Spec& spec, bool alone, int least, Prng& random) {
    for (auto& group : spec.resource_groups.edit())
        for (auto& flavor : group.flavors.edit())
            for (auto& resource : flavor.resources.edit()) {
                resource.nominal_quota = thousandths(random.between(least, least + kQuotaEnough / 2));
                resource.borrowing_limit = alone ? std::nullopt : draw_limit(random);
                resource.lending_limit = alone ? std::nullopt : draw_limit(random);
            }
}

const char* pick(std::initializer_list<const char*> of, Prng& random) {
    return *(of.begin() + random.below(of.size()));
}

std::string draw_preemption(bool fair, Prng& random) {
    const char* within = pick({"Never", "LowerPriority", "LowerOrNewerEqualPriority"}, random);
    const char* reclaim = pick({"Never", "LowerPriority", "Any", "Any"}, random);
    std::string out = std::string("withinClusterQueue: ") + within + ", reclaimWithinCohort: " + reclaim;
    if (!fair && std::string_view(reclaim) != "Never" && random.chance(1, 3))
        out += ", borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 0}";
    return out;
}

std::string draw_weight(Prng& random) {
    return std::string("fairSharing: {weight: ") + pick({"\"1\"", "\"2\"", "500m", "\"0\""}, random) + "}";
}

}  // namespace

ClusterQueue draw_tree_queue(const std::string& name, bool fair, bool checks, Prng& random) {
    const std::string cohort = name == "c" ? "z" : "x";
    const std::string one = "resources: [{name: cpu, nominalQuota: 1}]}";
    std::string flavors = "{name: f0, " + one;
    if (name == "b") flavors += ", {name: f1, " + one;
    if (name == "c") flavors = "{name: f1, " + one + ", " + flavors;
    const std::string fungibility = std::string("{whenCanBorrow: ") + pick({"MayStopSearch", "TryNextFlavor"}, random) +
                                    ", whenCanPreempt: " + pick({"MayStopSearch", "TryNextFlavor"}, random) + "}";
    const std::string text =
        "metadata: {name: " + name + "}\nspec: {cohortName: " + cohort +
        ", queueingStrategy: " + (name == "a" ? "StrictFIFO" : "BestEffortFIFO") + ", preemption: {" +
        draw_preemption(fair, random) + "}, flavorFungibility: " + fungibility + ", " + draw_weight(random) +
        ", namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [" + flavors + "]}]}\n";
    ClusterQueue queue = api::from_yaml<ClusterQueue>(text).value();
    draw_limits(queue, random);
    if (checks) draw_checks(queue, random);
    return queue;
}

const char* cohort_above(std::string_view name) { return name == "r" ? "" : "r"; }

Cohort draw_cohort(const std::string& name, Prng& random) {
    const std::string flavor = name == "z" ? "f1" : "f0";
    Cohort cohort = api::from_yaml<Cohort>("metadata: {name: " + name + "}\nspec: {parentName: \"" +
                                           cohort_above(name) + "\", " + draw_weight(random) +
                                           ", resourceGroups: [{coveredResources: [cpu], flavors: [{name: " + flavor +
                                           ", resources: [{name: cpu, nominalQuota: 1}]}]}]}\n")
                        .value();
    draw_limits(cohort, random);
    return cohort;
}

void draw_limits(ClusterQueue& queue, Prng& random) {
    draw_quotas(queue.spec, queue.spec.cohort_name.empty(), kQuotaLeast, random);
}
void draw_limits(Cohort& cohort, Prng& random) { draw_quotas(cohort.spec, cohort.spec.parent_name.empty(), 0, random); }

void move_queue(ClusterQueue& queue, const Text& cohort, Prng& random) {
    queue.spec.cohort_name = cohort;
    draw_limits(queue, random);
}

void draw_checks(ClusterQueue& queue, Prng& random) {
    queue.spec.admission_checks_strategy.reset();
    for (const char* name : kCheckNames) {
        if (random.chance(1, 2)) continue;
        api::kueue::AdmissionCheckStrategyRule rule;
        rule.name = name;
        if (random.chance(1, 3)) rule.on_flavors.edit().push_back("f0");
        queue.spec.admission_checks_strategy.edit().admission_checks.edit().push_back(std::move(rule));
    }
}

api::kueue::AdmissionCheck make_check(const std::string& name) {
    return api::from_yaml<api::kueue::AdmissionCheck>("metadata: {name: " + name +
                                                      "}\nspec: {controllerName: muster.dev/sim}\n")
        .value();
}

bool has_quota(const ClusterQueue& queue, int milli_cpus) {
    for (const auto& group : queue.spec.resource_groups)
        for (const auto& flavor : group.flavors)
            for (const auto& resource : flavor.resources)
                if (resource.nominal_quota.milli_value() < milli_cpus) return false;
    return true;
}

}  // namespace muster::sim
