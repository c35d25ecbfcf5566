// Queues and workloads in a few words, for tests of the admission engine: one resource, cpu in whole cores, and one
// flavor unless a test says otherwise.
#pragma once

#include <map>
#include <string>

#include "controllers/queue/admission/engine/engine.h"

namespace muster::controllers::queue {

struct EngineWorld {
    explicit EngineWorld(FairSharing fair = {}) : engine(fair) { engine.set_flavor("default", {}); }

    Quota quota(Amount nominal, std::optional<Amount> borrowing = {}, std::optional<Amount> lending = {},
                const char* flavor = "default", const char* resource = "cpu") {
        const ResourceId id = engine.names().resource(resource);
        return {engine.names().slot(engine.names().flavor(flavor), id), id, nominal, borrowing, lending};
    }
    // With one group that covers cpu and has the flavors of its quotas.
    QueueSpec spec(const char* name, std::vector<Quota> quotas, const char* cohort = "") {
        QueueSpec out;
        out.name = name;
        out.cohort = cohort;
        ResourceGroup group;
        for (const Quota& it : quotas) {
            const FlavorId flavor = engine.names().flavor_of(it.slot);
            if (std::find(group.flavors.begin(), group.flavors.end(), flavor) == group.flavors.end())
                group.flavors.push_back(flavor);
            if (std::find(group.resources.begin(), group.resources.end(), it.resource) == group.resources.end())
                group.resources.push_back(it.resource);
        }
        out.policy.groups.push_back(std::move(group));
        out.quotas = std::move(quotas);
        return out;
    }
    void queue(const char* name, Amount nominal, const char* cohort = "") {
        engine.set_queue(spec(name, {quota(nominal)}, cohort));
    }

    Shape shape(Amount cores, std::int32_t count = 1) {
        Shape out;
        PodSetShape pods;
        pods.name = "main";
        pods.count = count;
        pods.min_count = count;
        pods.per_pod = {{"cpu", cores}};
        out.pod_sets.push_back(std::move(pods));
        return out;
    }
    Shape shape_with_memory(Amount cores, Amount memory) {
        Shape out = shape(cores);
        out.pod_sets[0].per_pod.emplace_back("memory", memory);
        return out;
    }
    Instant next_time() { return Instant::from_unix_seconds(++clock); }

    ItemId submit(const std::string& name, const char* queue, Shape of, int priority = 0) {
        const ItemId item = engine.add_item();
        names[item] = name;
        items[name] = item;
        Waiter& waiter = waiters[name];
        waiter.queue = queue;
        waiter.uid = name;
        waiter.priority = priority;
        waiter.ordered_at = next_time();
        shapes[name] = std::move(of);
        wait(name);
        return item;
    }
    // Waits, or waits again.
    void wait(const std::string& name) {
        waiters[name].shape = engine.add_shape(shapes[name]);
        engine.set_pending(items[name], waiters[name]);
    }
    ItemId submit(const std::string& name, const char* queue, Amount cores, int priority = 0) {
        return submit(name, queue, shape(cores), priority);
    }
    // Runs already.
    ItemId run(const std::string& name, const char* queue, Amount cores, int priority = 0,
               const char* flavor = "default") {
        const ItemId item = engine.add_item();
        queues[name] = queue;
        Holder holder;
        holder.queue = queue;
        holder.uid = name;
        holder.priority = priority;
        holder.ordered_at = holder.reserved_at = next_time();
        holder.usage = {{engine.names().slot(engine.names().flavor(flavor), engine.names().resource("cpu")), cores}};
        engine.set_holding(item, std::move(holder));
        names[item] = name;
        items[name] = item;
        return item;
    }
    // Marks the workload as being evicted, without a preemptor.
    void evict(const std::string& name) {
        const Item& item = engine.item(items[name]);
        Holder holder;
        holder.queue = queues[name];
        holder.uid = name;
        holder.priority = item.priority;
        holder.ordered_at = item.ordered_at;
        holder.reserved_at = item.reserved_at;
        holder.usage = item.usage;
        holder.evicting = true;
        engine.set_holding(items[name], std::move(holder));
    }
    void finish(const std::string& name) { engine.remove_item(items[name]); }

    // "a b" admitted, "-v(by a)" evicted, in order; flavors other than the default as "a@spot", counts as "a*3".
    std::string decide(std::size_t admissions_max = 1000) {
        const Plan plan = engine.decide(next_time(), admissions_max);
        std::string out;
        for (const Evict& evict : plan.evict)
            out += (out.empty() ? "-" : " -") + names[evict.victim] + "(by " + names[evict.preemptor] + ")";
        for (const Admit& admit : plan.admit) {
            out += (out.empty() ? "" : " ") + names[admit.item];
            const PodSetChoice& pods = admit.pod_sets.front();
            if (pods.count != 1) out += "*" + std::to_string(pods.count);
            if (pods.choices.empty()) continue;
            const Text& flavor = engine.names().flavor_name(pods.choices.front().flavor);
            if (!(flavor == "default")) out += "@" + flavor.str();
        }
        return out;
    }
    std::string why(const std::string& name) { return engine.why(items[name]); }

    Engine engine;
    std::map<ItemId, std::string> names;
    std::map<std::string, ItemId> items;
    std::map<std::string, Waiter> waiters;  // of those that were submitted
    std::map<std::string, Shape> shapes;
    std::map<std::string, Text> queues;  // of those that run already
    std::int64_t clock = 0;
};

}  // namespace muster::controllers::queue
