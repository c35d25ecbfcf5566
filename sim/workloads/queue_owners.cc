// Teams that own different resources: one queue has all cpu, another all memory, a third has nothing, and work needs
// both. They lend to each other and take back, by fair shares or without. Beside them is a queue alone in which no
// workload is preempted, and whose first often does not fit while those behind it do. Sizes and priorities are mixed;
// everything must come to its end.
#include "api/codec/decode.h"
#include "api/kinds/kueue/cluster_queue.h"
#include "api/kinds/kueue/local_queue.h"
#include "api/kinds/kueue/resource_flavor.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "sim/checkers/queue_facts.h"
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;
using api::kueue::LocalQueue;

constexpr int kAll = 1000;  // of cpu in thousandths, and of memory in Mi

struct OwnerQueue {
    const char* name;
    int cpu;
    int memory;
    bool lends;
};
constexpr OwnerQueue kOwners[] = {{"cpu-owner", kAll, 0, true},
                                  {"memory-owner", 0, kAll, true},
                                  {"borrower", 0, 0, true},
                                  {"alone", kAll, kAll, false}};

class QueueOwners final : public Workload {
public:
    QueueOwners(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "owners");
        world.user_tasks().spawn(run(&world));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World& world) const override {
        if (!winding_down_ || !done_) return "the owners' users are not done";
        for (const Job* job : world.history.all<Job>())
            if (!is_finished(*job)) return job->metadata.name.str() + " has not finished; " + format_status(*job);
        return {};
    }

private:
    std::string pick(std::initializer_list<const char*> of) { return *(of.begin() + random_.below(of.size())); }

    os::Task<void> run(World* world) {
        auto flavor = api::from_yaml<api::kueue::ResourceFlavor>("metadata: {name: f0}\n");
        (void)co_await user_->create<api::kueue::ResourceFlavor>(std::move(*flavor));
        for (const char* name : {"low", "high"}) {
            const std::string value = std::string_view(name) == "low" ? "-10" : "10";
            auto priority = api::from_yaml<api::kueue::WorkloadPriorityClass>("metadata: {name: " + std::string(name) +
                                                                              "}\nvalue: " + value + "\n");
            (void)co_await user_->create<api::kueue::WorkloadPriorityClass>(std::move(*priority));
        }
        for (const OwnerQueue& owner : kOwners) {
            ClusterQueue queue = draw_queue(owner);
            (void)co_await user_->create<ClusterQueue>(std::move(queue));
            const std::string name = owner.name;
            auto local = api::from_yaml<LocalQueue>("metadata: {name: " + name +
                                                    ", namespace: default}\nspec: {clusterQueue: " + name + "}\n");
            (void)co_await user_->create<LocalQueue>(std::move(*local));
        }
        const std::int64_t jobs = settings_.number("jobs", 8);
        for (std::int64_t i = 0; i < jobs; ++i) {
            Job job = draw_job("j" + std::to_string(i));
            (void)co_await user_->create<Job>(std::move(job));
            // Often several at once.
            if (random_.chance(1, 2))
                co_await os::sleep_for(world->loop, Duration(random_.between(0, Duration(4s).count())));
        }
        done_ = true;
    }

    ClusterQueue draw_queue(const OwnerQueue& owner) {
        std::string more;
        if (owner.lends)
            more =
                "cohortName: all, fairSharing: {weight: " + pick({"\"1\"", "\"1\"", "\"2\"", "500m"}) +
                "}, preemption: {withinClusterQueue: " + pick({"Never", "LowerPriority", "LowerOrNewerEqualPriority"}) +
                ", reclaimWithinCohort: " + pick({"LowerPriority", "Any", "Any"}) + "}, ";
        const std::string strategy = owner.lends && random_.chance(1, 8) ? "StrictFIFO" : "BestEffortFIFO";
        return api::from_yaml<ClusterQueue>(
                   "metadata: {name: " + std::string(owner.name) + "}\nspec: {" + more +
                   "queueingStrategy: " + strategy +
                   ", namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f0, "
                   "resources: [{name: cpu, nominalQuota: " +
                   std::to_string(owner.cpu) + "m}, {name: memory, nominalQuota: " + std::to_string(owner.memory) +
                   "Mi}]}]}]}\n")
            .value();
    }

    Job draw_job(const std::string& name) {
        const OwnerQueue& owner = kOwners[random_.below(std::size(kOwners))];
        const std::string priority =
            pick({"", "", ", kueue.x-k8s.io/priority-class: low", ", kueue.x-k8s.io/priority-class: high"});
        return api::from_yaml<Job>(
                   "metadata: {name: " + name +
                   ", namespace: default, labels: {kueue.x-k8s.io/queue-name: " + owner.name + priority +
                   "}}\nspec: {backoffLimit: 1000, completions: " + std::to_string(random_.between(1, 3)) +
                   ", template: {metadata: {annotations: {" + kRunAnnotation + ": \"span=50ms.." +
                   std::to_string(random_.between(200, 6000)) +
                   "ms fail=5 stubborn=10\"}}, spec: {restartPolicy: Never, terminationGracePeriodSeconds: " +
                   std::to_string(random_.between(0, 3)) +
                   ", containers: [{name: c, image: i, resources: {requests: {cpu: " +
                   std::to_string(100 * random_.between(1, 9)) +
                   "m, memory: " + std::to_string(100 * random_.between(1, 9)) + "Mi}}}]}}}\n")
            .value();
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    bool done_ = false;
    bool winding_down_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_queue_owners(const Settings& settings, Prng random) {
    return std::make_unique<QueueOwners>(settings, random);
}

}  // namespace muster::sim
