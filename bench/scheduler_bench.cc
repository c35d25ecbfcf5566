// Many pods on many nodes: the real store and its disk, the API's rules, the scheduler. Every binding is durable.
//     scheduler_bench [--pods N] [--nodes N] [--directory DIR]
// The pods are there when the scheduler starts, as after a restart; then as many again come while it runs. Nodes are
// like those of upstream's own measurement of this shape, whose threshold is 790 pods a second.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "api/codec/decode.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "bench/control_plane.h"
#include "os/loop/gather.h"
#include "scheduler/scheduler.h"

namespace muster::bench {
namespace {

using api::core::Node;
using api::core::Pod;

struct Options {
    int pods = 50'000;
    int nodes = 5'000;
    std::string directory = (std::filesystem::temp_directory_path() / "muster-scheduler-bench").string();
};

template <class K>
os::Task<void> create_all(os::Loop& loop, client::Client& client, K sample, std::string prefix, int count) {
    std::vector<os::Task<Result<client::Ref<K>>>> creations;
    for (int i = 0; i < count; ++i) {
        K one = sample;
        one.metadata.name = prefix + std::to_string(i);
        if constexpr (std::is_same_v<K, Node>) one.metadata.labels.set("kubernetes.io/hostname", one.metadata.name);
        creations.push_back(client.create<K>(std::move(one)));
    }
    for (const auto& created : co_await os::gather(loop, std::move(creations), 2000))
        CHECK(created.ok(), created.ok() ? "" : format_error(created.error()));
}

os::Task<void> wait_bound(os::Loop& loop, const scheduler::Scheduler& scheduler, std::uint64_t count) {
    while (scheduler.bound() < count) co_await os::sleep_for(loop, 1ms);
}

Node sample_node() {
    return api::from_yaml<Node>(R"(
metadata: {labels: {topology.kubernetes.io/zone: east}}
status: {capacity: {cpu: '4', memory: 32Gi, pods: '110'}, allocatable: {cpu: '4', memory: 32Gi, pods: '110'}}
)")
        .value();
}

Pod sample_pod(const char* more) {
    return api::from_yaml<Pod>(std::string(R"(
metadata: {namespace: default, labels: {app: bench}}
spec:
  containers:
  - {name: work, image: busybox, command: [work], resources: {requests: {cpu: 100m, memory: 500Mi}}}
)") + more)
        .value();
}

void run(const Options& options, const char* what, const char* more, int pods, bool events) {
    World world(options.directory);
    server::LocalClient client(*world.objects, server::controller_user("bench"));
    world.loop.run(create_all(world.loop, client, sample_node(), "node-", options.nodes));
    world.loop.run(create_all(world.loop, client, sample_pod(more), "early-", pods));
    scheduler::SchedulerOptions settings;
    settings.note_bindings = events;
    scheduler::Scheduler scheduler(world.loop, client, world.metrics, settings);
    const auto start = Clock::now();
    scheduler.start();
    const auto count = static_cast<std::uint64_t>(pods);
    world.loop.run(wait_bound(world.loop, scheduler, count));
    const double waiting = seconds_since(start);
    std::printf("  %-34s %6d pods on %d nodes: %5.2f s, %7.0f durable bindings a second\n", what, pods, options.nodes,
                waiting, pods / waiting);
    if (*more) return;
    const auto again = Clock::now();
    os::TaskScope tasks(world.loop);
    tasks.spawn(create_all(world.loop, client, sample_pod(more), "late-", pods));
    world.loop.run(wait_bound(world.loop, scheduler, 2 * count));
    const double coming = seconds_since(again);
    std::printf("  %-34s %6d pods more, created meanwhile: %5.2f s, %7.0f created and bound a second\n", what, pods,
                coming, pods / coming);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--pods")) options.pods = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--nodes")) options.nodes = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--directory")) options.directory = argv[i + 1];
    }
    constexpr const char* kSpread =
        "  topologySpreadConstraints: [{maxSkew: 5, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: "
        "ScheduleAnyway, labelSelector: {matchLabels: {app: bench}}}]\n";
    run(options, "alike, an event for each", "", options.pods, true);
    run(options, "alike, without events", "", options.pods, false);
    run(options, "with a spread constraint", kSpread, options.pods / 10, true);
    std::filesystem::remove_all(options.directory);
}
