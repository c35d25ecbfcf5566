// Queueing at Kueue's own scale: queues in cohorts, workloads of three classes created at its harness' pace, each of
// them "running" for its time once admitted. Real store and disk, the API's rules, the admission controller; no pods.
//     queue_bench [--shape large|baseline|memory|all] [--directory DIR] [--spread 0|1]
// `large` and `baseline` are the generators of Kueue's test/performance/scheduler. Quota alone allows about 4 s and
// 66 s for them: that is when all workloads are created at once (--spread 0). At the pace of Kueue's harness (--spread
// 1) the baseline cannot take less than 76.8 s: every 1.2 s a large one comes and takes the whole of its queue's 20
// cores for 1 s; the 0.2 s in between go to medium ones, which come before small ones, run 0.5 s and are therefore
// preempted by the next large one each time. So until the last large one ends, after 61 s, next to nothing else gets
// done, and then 99 medium ones (5 cores for 0.5 s) and 335 small ones are left: 15.8 s. What is measured beyond that
// is the time between an end and the next start, some forty times. Without --spread both are measured. `memory` is what
// a workload that waits costs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>

#include "api/codec/decode.h"
#include "api/kinds/kueue/kueue.h"
#include "bench/control_plane.h"
#include "controllers/queue/admission/controller.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::bench {
namespace {

using api::kueue::ClusterQueue;
using api::kueue::LocalQueue;
using api::kueue::ResourceFlavor;
using api::kueue::Workload;

struct WorkloadClass {
    const char* name;
    int count;        // in each queue
    int interval_ms;  // of creation
    int runtime_ms;
    int priority;
    int cores;
};
struct QueueShape {
    const char* name;
    int cohorts;
    int queues;
    WorkloadClass classes[3];
    double floor_seconds;
    double target_seconds;
};

constexpr QueueShape kLarge{
    "large-scale",
    10,
    100,
    {{"small", 35, 60, 150, 50, 1}, {"medium", 11, 300, 350, 100, 5}, {"large", 4, 700, 700, 200, 20}},
    4,
    12};
constexpr QueueShape kBaseline{
    "baseline",
    5,
    6,
    {{"small", 350, 100, 200, 50, 1}, {"medium", 100, 500, 500, 100, 5}, {"large", 50, 1200, 1000, 200, 20}},
    66,
    75};

struct QueueOptions {
    std::string shape = "all";
    std::string spread = "both";
    std::string directory = (std::filesystem::temp_directory_path() / "muster-queue-bench").string();
};

double resident_megabytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    file >> all >> resident;
    return static_cast<double>(resident) * 4096 / 1e6;
}

template <class K>
void create_now(World& world, client::Client& client, K draft) {
    const auto created = world.loop.run(client.create(std::move(draft)));
    CHECK(created.ok(), created.ok() ? "" : format_error(created.error()));
}

void create_queue(World& world, client::Client& client, const std::string& name, const std::string& cohort, int cores) {
    create_now(world, client,
               api::from_yaml<ClusterQueue>("{metadata: {name: " + name + "}, spec: {cohortName: " + cohort +
                                            ", namespaceSelector: {}, preemption: {reclaimWithinCohort: Any, "
                                            "withinClusterQueue: LowerPriority}, resourceGroups: [{coveredResources: "
                                            "[cpu], flavors: [{name: rf, resources: [{name: cpu, nominalQuota: " +
                                            std::to_string(cores) + ", borrowingLimit: 100}]}]}]}}")
                   .value());
    create_now(world, client,
               api::from_yaml<LocalQueue>("{metadata: {name: " + name +
                                          ", namespace: default}, spec: {clusterQueue: " + name + "}}")
                   .value());
}

Workload make_workload(const std::string& name, const std::string& queue, const WorkloadClass& of) {
    static const Workload sample = api::from_yaml<Workload>(
                                       "{metadata: {namespace: default}, spec: {podSets: [{name: main, count: 1, "
                                       "template: {spec: {restartPolicy: Never, containers: [{name: c, image: pause, "
                                       "resources: {requests: {cpu: 1}}}]}}}]}}")
                                       .value();
    Workload out = sample;
    out.metadata.name = name;
    out.spec.queue_name = queue;
    out.spec.priority = of.priority;
    auto& container = out.spec.pod_sets.edit()[0].template_.spec.containers.edit()[0];
    container.resources.requests.set("cpu", api::Quantity::from_int(of.cores));
    return out;
}

// Plays the part of those who run workloads.
class Runner {
public:
    Runner(World& world, const QueueShape& shape)
        : world_(world), shape_(shape), client_(*world.objects, server::controller_user("bench")), tasks_(world.loop) {
        tasks_.spawn(follow());
    }
    void create_all(bool spread) {
        start_ = Clock::now();
        for (int cohort = 0; cohort < shape_.cohorts; ++cohort)
            for (int queue = 0; queue < shape_.queues; ++queue)
                for (std::size_t of = 0; of < 3; ++of)
                    tasks_.spawn(create("c" + std::to_string(cohort) + "-q" + std::to_string(queue), of, spread));
    }
    std::size_t finished() const { return finished_; }
    std::size_t evictions() const { return evictions_; }
    std::vector<double> admitted_seconds[3];  // from creation, by class

private:
    struct Running {
        std::size_t of = 0;
        Clock::time_point created;
        bool admitted = false;
        bool ended = false;
        std::uint64_t run = 0;  // which of its runs, as it may be evicted
    };

    os::Task<void> create(std::string queue, std::size_t of, bool spread) {
        const WorkloadClass& kind = shape_.classes[of];
        for (int i = 0; i < kind.count; ++i) {
            if (spread) co_await os::sleep_for(world_.loop, std::chrono::milliseconds(kind.interval_ms));
            std::string name = queue + "-" + kind.name + "-" + std::to_string(i);
            Running& running = running_[name];
            running.of = of;
            running.created = Clock::now();
            const auto created = co_await client_.create(make_workload(name, queue, kind));
            CHECK(created.ok(), created.ok() ? "" : format_error(created.error()));
        }
    }
    os::Task<void> follow() {
        auto watch = co_await client_.watch<Workload>("", std::to_string(world_.store->revision()));
        CHECK(watch.ok());
        for (;;) {
            const auto events = co_await watch->next();
            CHECK(events.ok(), format_error(events.error()));
            for (const auto& event : *events) look_at(event.object);
        }
    }
    void look_at(const client::Ref<Workload>& workload) {
        const auto found = running_.find(workload->metadata.name.str());
        if (found == running_.end() || found->second.ended) return;
        Running& running = found->second;
        const bool runs = controllers::is_admitted(workload->status) && !controllers::is_evicted(workload->status);
        if (runs == running.admitted) return;
        running.admitted = runs;
        ++running.run;
        if (!runs) {
            ++evictions_;
            return;
        }
        admitted_seconds[running.of].push_back(seconds_since(running.created));
        tasks_.spawn(end(client::name_of(*workload), running.of, running.run));
    }
    os::Task<void> end(client::ObjectName name, std::size_t of, std::uint64_t run) {
        co_await os::sleep_for(world_.loop, std::chrono::milliseconds(shape_.classes[of].runtime_ms));
        Running& running = running_[name.name.str()];
        for (;;) {
            if (running.run != run) co_return;
            const auto fresh = co_await client_.get<Workload>(name);
            CHECK(fresh.ok());
            if (!controllers::is_admitted((*fresh)->status) || controllers::is_evicted((*fresh)->status)) co_return;
            Workload draft = **fresh;
            controllers::set_condition(draft.status, "Finished", true, "Succeeded", "It is done", 1, world_.loop.now());
            const auto updated = co_await client_.change_status<Workload>(*fresh, std::move(draft));
            if (updated.ok()) break;
            CHECK(updated.error().code == Code::kConflict, format_error(updated.error()));
        }
        running.ended = true;
        ++finished_;
    }

    World& world_;
    QueueShape shape_;
    server::LocalClient client_;
    std::unordered_map<std::string, Running> running_;
    Clock::time_point start_;
    std::size_t finished_ = 0;
    std::size_t evictions_ = 0;
    os::TaskScope tasks_;
};

os::Task<void> wait_until(os::Loop& loop, const std::function<bool()>& done) {
    while (!done()) co_await os::sleep_for(loop, 2ms);
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

void run_shape(const QueueShape& shape, const QueueOptions& options, bool spread) {
    World world(options.directory);
    server::LocalClient client(*world.objects, server::controller_user("bench"));
    create_now(world, client, api::from_yaml<ResourceFlavor>("{metadata: {name: rf}}").value());
    for (int cohort = 0; cohort < shape.cohorts; ++cohort)
        for (int queue = 0; queue < shape.queues; ++queue)
            create_queue(world, client, "c" + std::to_string(cohort) + "-q" + std::to_string(queue),
                         "cohort-" + std::to_string(cohort), 20);
    controllers::AdmissionController controller(world.loop, client, world.metrics);
    controller.start();
    Runner runner(world, shape);
    std::size_t all = 0;
    for (const WorkloadClass& of : shape.classes) all += static_cast<std::size_t>(of.count);
    all *= static_cast<std::size_t>(shape.cohorts * shape.queues);
    const auto revision = world.store->revision();
    const auto start = Clock::now();
    runner.create_all(spread);
    world.loop.run(wait_until(world.loop, [&] { return runner.finished() == all; }));
    const double took = seconds_since(start);
    std::printf("  %s, %s: %zu workloads in %d queues of %d cohorts: %.1f s (quota alone %.0f s, target %.0f s)\n",
                shape.name, spread ? "at the harness' pace" : "all at once", all, shape.cohorts * shape.queues,
                shape.cohorts, took, shape.floor_seconds, shape.target_seconds);
    std::printf("    mean time to admission: large %.2f s, medium %.2f s, small %.2f s; %zu evictions\n",
                mean(runner.admitted_seconds[2]), mean(runner.admitted_seconds[1]), mean(runner.admitted_seconds[0]),
                runner.evictions());
    std::printf("    %.1f writes a workload, %zu decisions in %.2f s\n",
                static_cast<double>(world.store->revision() - revision) / static_cast<double>(all),
                controller.decisions(), std::chrono::duration<double>(controller.deciding_time()).count());
}

os::Task<void> create_waiting(client::Client& client, int first, int count, int step) {
    for (int i = first; i < count; i += step) {
        const auto created = co_await client.create(make_workload("w" + std::to_string(i), "q", kLarge.classes[0]));
        CHECK(created.ok());
    }
}

void run_memory(const QueueOptions& options) {
    constexpr int kWorkloads = 50'000;
    World world(options.directory);
    server::LocalClient client(*world.objects, server::controller_user("bench"));
    create_now(world, client, api::from_yaml<ResourceFlavor>("{metadata: {name: rf}}").value());
    create_queue(world, client, "q", "cohort", 0);
    controllers::AdmissionController controller(world.loop, client, world.metrics);
    controller.start();
    world.loop.run(wait_until(world.loop, [&] { return controller.decisions() > 0; }));
    const double before = resident_megabytes();
    os::TaskScope tasks(world.loop);
    for (int i = 0; i < 200; ++i) tasks.spawn(create_waiting(client, i, kWorkloads, 200));
    const auto queue_says = [&] {
        const auto queue = world.loop.run(client.get<ClusterQueue>({"", "q"}));
        return queue.ok() ? (*queue)->status.pending_workloads : 0;
    };
    while (queue_says() < kWorkloads) world.loop.run(wait_until(world.loop, [n = 0]() mutable { return ++n > 100; }));
    const double after = resident_megabytes();
    std::printf("  %d workloads that wait: %.2f KB each (target 3)\n", kWorkloads, (after - before) * 1e3 / kWorkloads);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    QueueOptions options;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--shape")) options.shape = argv[i + 1];
        if (!std::strcmp(argv[i], "--spread")) options.spread = argv[i + 1];
        if (!std::strcmp(argv[i], "--directory")) options.directory = argv[i + 1];
    }
    const bool all = options.shape == "all";
    if (all || options.shape == "memory") run_memory(options);
    for (const bool spread : {true, false}) {
        if (options.spread == (spread ? "0" : "1")) continue;
        if (all || options.shape == "large") run_shape(kLarge, options, spread);
        if (all || options.shape == "baseline") run_shape(kBaseline, options, spread);
    }
    std::filesystem::remove_all(options.directory);
}
