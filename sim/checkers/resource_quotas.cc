// ResourceQuotas are exact: every object that is created leaves its namespace within every quota that stands at that
// revision. At rest a quota's status says what its limits are and what is used of them.
#include "api/kinds/core/config.h"
#include "api/kinds/core/quota.h"
#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

using api::Quantity;
using api::core::ConfigMap;
using api::core::ResourceQuota;

// What the objects of a namespace use, by the names that the workload's quotas have.
struct Usage {
    Map<Quantity> sums;

    void add(const char* name, const Quantity& amount) { sums.edit(name) += amount; }
    void add_pod(const Pod& pod) {
        add("count/pods", Quantity::from_int(1));
        if (has_ended(pod)) return;
        add("pods", Quantity::from_int(1));
        for (const auto& container : pod.spec.containers)
            if (const Quantity* cpu = container.resources.requests.find("cpu")) add("requests.cpu", *cpu);
    }
    Quantity of(std::string_view name) const {
        const Quantity* found = sums.find(name);
        return found ? *found : Quantity();
    }
};

Usage usage_in(const World& world, const Text& namespace_) {
    Usage usage;
    for (const Pod* pod : world.history.all<Pod>())
        if (pod->metadata.namespace_ == namespace_) usage.add_pod(*pod);
    for (const ConfigMap* map : world.history.all<ConfigMap>())
        if (map->metadata.namespace_ == namespace_) usage.add("configmaps", Quantity::from_int(1));
    for (const Job* job : world.history.all<Job>())
        if (job->metadata.namespace_ == namespace_) usage.add("count/jobs.batch", Quantity::from_int(1));
    return usage;
}

class ResourceQuotaChecker final : public Checker {
public:
    std::string_view name() const override { return "resource-quotas"; }

    void on_change(World& world, const Change& change) override {
        if (world.settings().number("resource_quotas", 0) == 0 || !change.now || change.before) return;
        Usage own;
        if (change.is<Pod>()) own.add_pod(*change.now_as<Pod>());
        if (change.is<ConfigMap>()) own.add("configmaps", Quantity::from_int(1));
        if (change.is<Job>()) own.add("count/jobs.batch", Quantity::from_int(1));
        if (own.sums.empty()) return;
        const api::meta::ObjectMeta& made = change.now->metadata();
        const Usage all = usage_in(world, made.namespace_);
        for (const ResourceQuota* quota : world.history.all<ResourceQuota>()) {
            if (!(quota->metadata.namespace_ == made.namespace_)) continue;
            for (const auto& [resource, hard] : quota->spec.hard)
                if (own.of(resource).sign() > 0 && all.of(resource) > hard)
                    world.fail(name(), made.name,
                               "with it " + resource.str() + " is " + all.of(resource).text() + ", and " +
                                   quota->metadata.name.str() + " allows " + hard.text());
        }
    }

    void at_rest(World& world) override {
        if (world.settings().number("resource_quotas", 0) == 0) return;
        for (const ResourceQuota* quota : world.history.all<ResourceQuota>()) {
            const Usage all = usage_in(world, quota->metadata.namespace_);
            if (!(quota->status.hard == quota->spec.hard))
                world.fail(name(), quota->metadata.name, "its status has other limits");
            for (const auto& [resource, hard] : quota->spec.hard) {
                const Quantity* used = quota->status.used.find(resource);
                if (!used || *used != all.of(resource))
                    world.fail(name(), quota->metadata.name,
                               resource.str() + " is " + all.of(resource).text() + ", and its status says " +
                                   (used ? used->text() : "nothing"));
            }
        }
    }
};

}  // namespace

std::unique_ptr<Checker> make_resource_quotas() { return std::make_unique<ResourceQuotaChecker>(); }

}  // namespace muster::sim
