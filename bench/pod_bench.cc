// Real pods in the real store: how many durable status updates a second, how much memory each, how long reopening
// takes.
//     pod_bench [--pods N] [--writers N] [--seconds N] [--directory DIR]
// --seconds 0 leaves out the updates.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "api/codec/decode.h"
#include "api/kinds/core/pod.h"
#include "bench/pod_sample.h"
#include "os/loop/real_loop.h"
#include "os/loop/task.h"
#include "os/loop/thread_worker.h"
#include "os/machine/memory.h"
#include "server/kind_object/kind_object.h"
#include "store/rocksdb/rocksdb_journal.h"
#include "store/store.h"

namespace muster::bench {
namespace {

using api::core::Pod;
using Clock = std::chrono::steady_clock;
using PodObject = server::TypedObject<Pod>;

struct Options {
    int pods = 100000;
    // Enough for a disk whose sync takes 4 ms: one group is on its way while the next is filled.
    int writers = 8192;
    int seconds = 5;
    std::string directory = (std::filesystem::temp_directory_path() / "muster-pod-bench").string();
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What the process or this thread has used; steadier than wall time on a busy machine.
double cpu_seconds(__rusage_who who) {
    rusage usage{};
    ::getrusage(who, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::size_t resident_bytes() {
    os::release_free_memory();
    return os::resident_bytes();
}

// A store in a directory, on a loop of its own.
struct World {
    os::RealLoop loop;
    server::KindCodec codec;
    std::unique_ptr<store::RocksdbJournal> journal;
    std::unique_ptr<store::Store> store;

    explicit World(const std::string& directory) {
        journal = store::RocksdbJournal::open(loop, std::make_unique<os::ThreadWorker>("journal"), directory).value();
        store = store::Store::open(loop, *journal, codec).value();
    }
};

std::string key_of(int index) { return "/core/pods/film/render-" + std::to_string(index); }

// Pods of one Job: the template's parts are shared, the rest is each pod's own.
std::shared_ptr<PodObject> make_pod(const Pod& sample, int index) {
    auto object = std::make_shared<PodObject>(sample);
    Pod& pod = object->value;
    const std::string number = std::to_string(index);
    pod.metadata.name = "render-" + number;
    char uid[37];
    std::snprintf(uid, sizeof uid, "%08x-8f6e-4f0a-9a53-0c8b1f6f2a10", static_cast<unsigned>(index));
    pod.metadata.uid = uid;
    pod.metadata.labels.set("batch.kubernetes.io/job-completion-index", Text(number));
    pod.metadata.annotations.set("batch.kubernetes.io/job-completion-index", Text(number));
    pod.spec.node_name = "node-" + std::to_string(index % 1000);
    pod.spec.hostname = "render-" + number;
    pod.status.pod_ip = "10." + std::to_string(index >> 16 & 255) + "." + std::to_string(index >> 8 & 255) + "." +
                        std::to_string(index & 255);
    pod.status.pod_ips.edit()[0].ip = pod.status.pod_ip;
    pod.status.conditions.edit()[1].message = "seen by node " + number;
    pod.status.container_statuses.edit()[0].container_id = "process://" + number + "-8f14e45f";
    return object;
}

os::Task<void> fill(World& world, const Pod& sample, int pods) {
    store::Revision last = 0;
    for (int i = 0; i < pods; ++i) {
        last = world.store->create(key_of(i), make_pod(sample, i)).value().revision;
        if (i % 10000 == 9999) co_await world.store->durable(last);
    }
    co_await world.store->durable(last);
    co_await os::sleep_for(world.loop,
                           1s);  // until the journal has done its work, too, and holds nothing but its buffer
}

store::Revision update_status(store::Store& store, const std::string& key, int round) {
    const auto stored = store.get(key);
    auto object = std::make_shared<PodObject>(static_cast<const PodObject&>(*stored->object).value);
    auto& status = object->value.status;
    status.phase = round % 2 ? "Running" : "Succeeded";
    status.conditions.edit()[1].last_transition_time = api::Time::from_unix_seconds(1772366400 + round);
    status.container_statuses.edit()[0].restart_count = round + 1;
    return store.update(key, std::move(object))->revision;
}

// One writer: read a pod, change its status, wait until that is on disk, and again.
os::Task<void> update_statuses(World& world, int first, int step, int pods, const bool& stop, std::size_t& updates) {
    int i = first;
    for (int round = 0;; ++round) {
        if (stop) co_return;
        const store::Revision revision = update_status(*world.store, key_of(i), round);
        co_await world.store->durable(revision);
        ++updates;
        i = (i + step) % pods;
    }
}

void update(World& world, const Options& options) {
    bool stop = false;
    std::size_t updates = 0;
    for (int w = 0; w < options.writers; ++w)
        os::spawn(world.loop, update_statuses(world, w, options.writers, options.pods, stop, updates));
    const auto start = Clock::now();
    const double cpu_start = cpu_seconds(RUSAGE_SELF);
    const double loop_start = cpu_seconds(RUSAGE_THREAD);
    world.loop.after(std::chrono::seconds(options.seconds), [&] {
        stop = true;
        world.loop.stop();
    });
    world.loop.run();
    const auto each_us = [&](double seconds) { return seconds / static_cast<double>(updates) * 1e6; };
    std::printf(
        "updates      %8.0f durable pod status updates a second with %d writers, %.2f us of CPU each, %.2f of them on "
        "the loop\n",
        static_cast<double>(updates) / seconds_since(start), options.writers,
        each_us(cpu_seconds(RUSAGE_SELF) - cpu_start), each_us(cpu_seconds(RUSAGE_THREAD) - loop_start));
}

void run(const Options& options) {
    std::filesystem::remove_all(options.directory);
    const Pod sample = *api::from_json<Pod>(kPodJson);
    const std::size_t before = resident_bytes();
    {
        World world(options.directory);
        world.loop.run(fill(world, sample, options.pods));
        const double each = static_cast<double>(resident_bytes() - before) / options.pods;
        std::printf(
            "memory       %8.0f bytes resident for each of %d pods (all of the process, store and journal included)\n",
            each, options.pods);
        if (options.seconds > 0) update(world, options);
    }
    const std::size_t closed = resident_bytes();
    const auto start = Clock::now();
    const double cpu_start = cpu_seconds(RUSAGE_SELF);
    World world(options.directory);
    std::printf("reopening    %8.2f s for %d pods (%.2f s of CPU)", seconds_since(start), options.pods,
                cpu_seconds(RUSAGE_SELF) - cpu_start);
    std::printf(", then %.0f bytes resident each\n",
                (static_cast<double>(resident_bytes()) - static_cast<double>(closed)) / options.pods);
    std::filesystem::remove_all(options.directory);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    muster::bench::Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        if (name == "--pods") options.pods = std::atoi(argv[i + 1]);
        if (name == "--writers") options.writers = std::atoi(argv[i + 1]);
        if (name == "--seconds") options.seconds = std::atoi(argv[i + 1]);
        if (name == "--directory") options.directory = argv[i + 1];
    }
    muster::bench::run(options);
}
