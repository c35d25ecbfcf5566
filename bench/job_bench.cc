// Jobs from their creation to their end: the real store and its disk, the API's rules, the Job controller, and a test
// that finishes every pod as soon as it is there.
//     job_bench [--completions N] [--parallelism N] [--jobs N] [--directory DIR]
// First one Indexed Job of 1,000 completions and one of N, then as many one-pod Jobs, which their TTL then removes.
// Times are of the whole process on one loop; writes are counted by the revisions they took.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/job_state.h"
#include "bench/control_plane.h"
#include "controllers/garbage/controller.h"
#include "controllers/job/controller.h"
#include "controllers/ttl/controller.h"

namespace muster::bench {
namespace {

using api::batch::Job;
using api::core::Pod;

struct Options {
    int completions = 100'000;
    int parallelism = 10'000;
    int jobs = 50'000;
    std::string directory = (std::filesystem::temp_directory_path() / "muster-job-bench").string();
};

// Every pod succeeds as soon as it is seen.
class Finisher {
public:
    explicit Finisher(World& world)
        : world_(world), client_(*world.objects, server::controller_user("node")), tasks_(world.loop) {
        tasks_.spawn(follow());
    }
    std::size_t finished() const { return finished_; }
    // When the pod of a one-pod Job ended, by the Job's name.
    std::unordered_map<std::string, Clock::time_point> ended;

private:
    os::Task<void> follow() {
        auto watch = co_await client_.watch<Pod>("", std::to_string(world_.store->revision()));
        CHECK(watch.ok());
        for (;;) {
            const auto events = co_await watch->next();
            CHECK(events.ok(), format_error(events.error()));
            for (const auto& event : *events)
                if (event.type == client::EventType::kAdded) tasks_.spawn(finish(event.object));
        }
    }
    os::Task<void> finish(client::Ref<Pod> pod) {
        Pod draft = *pod;
        draft.status.phase = "Succeeded";
        const auto updated = co_await client_.change_status<Pod>(pod, std::move(draft));
        CHECK(updated.ok(), updated.ok() ? "" : format_error(updated.error()));
        ++finished_;
        if (!pod->metadata.owner_references.empty())
            ended.try_emplace(pod->metadata.owner_references[0].name.str(), Clock::now());
    }

    World& world_;
    server::LocalClient client_;
    std::size_t finished_ = 0;
    os::TaskScope tasks_;
};

Job make_job(const std::string& name, int completions, int parallelism) {
    Job job = api::from_yaml<Job>(R"(
metadata: {namespace: default, labels: {app: bench}}
spec:
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: work, image: busybox, command: [work, --fast], env: [{name: A, value: b}], resources: {requests: {cpu: 100m, memory: 64Mi}}}
)")
                  .value();
    job.metadata.name = name;
    job.spec.completions = completions;
    job.spec.parallelism = parallelism;
    return job;
}

os::Task<void> wait_complete(client::Client& client, std::string name, std::uint64_t& status_writes) {
    auto watch = co_await client.watch<Job>("default", "0");
    CHECK(watch.ok());
    for (;;) {
        const auto events = co_await watch->next();
        CHECK(events.ok());
        for (const auto& event : *events) {
            if (!(event.object->metadata.name == name)) continue;
            ++status_writes;
            if (api::batch::is_finished(event.object->status)) co_return;
        }
    }
}

// Seconds for each completion.
double run_one(const Options& options, int completions, int parallelism) {
    World world(options.directory);
    Finisher finisher(world);
    server::LocalClient client(*world.objects, server::controller_user("bench"));
    controllers::JobControllerOptions settings;
    settings.limits.uncounted_max = 1000;
    settings.limits.create_delete_max = 1000;
    controllers::JobController controller(world.loop, client, world.metrics, settings);
    controller.start();
    const auto revision = world.store->revision();
    const auto start = Clock::now();
    CHECK(world.loop.run(client.create(make_job("big", completions, parallelism))).ok());
    std::uint64_t status_writes = 0;
    world.loop.run(wait_complete(client, "big", status_writes));
    const double took = seconds_since(start);
    const auto writes = static_cast<double>(world.store->revision() - revision);
    std::printf("  %7d completions, parallelism %5d: %6.2f s, %7.0f a second, %.2f writes a pod, %llu of the Job\n",
                completions, parallelism, took, completions / took, writes / completions,
                static_cast<unsigned long long>(status_writes));
    return took / completions;
}

struct Many {
    std::vector<double> finish_seconds;   // since the start, in the order in which Jobs completed
    std::vector<double> latency_seconds;  // from the pod's end to the Job's
    std::size_t deleted = 0;
};

os::Task<void> follow_jobs(client::Client& client, Finisher& finisher, Clock::time_point start, Many& many) {
    auto watch = co_await client.watch<Job>("default", "0");
    CHECK(watch.ok());
    std::unordered_map<std::string, bool> complete;
    for (;;) {
        const auto events = co_await watch->next();
        CHECK(events.ok());
        for (const auto& event : *events) {
            if (event.type == client::EventType::kDeleted) {
                ++many.deleted;
                continue;
            }
            if (!api::batch::is_finished(event.object->status)) continue;
            if (!complete.try_emplace(event.object->metadata.name.str(), true).second) continue;
            many.finish_seconds.push_back(seconds_since(start));
            const auto ended = finisher.ended.find(event.object->metadata.name.str());
            if (ended != finisher.ended.end()) many.latency_seconds.push_back(seconds_since(ended->second));
        }
    }
}

os::Task<void> create_jobs(client::Client& client, int first, int count, int step) {
    for (int i = first; i < count; i += step) {
        Job job = make_job("small-" + std::to_string(i), 1, 1);
        job.spec.ttl_seconds_after_finished = 0;
        const auto created = co_await client.create(std::move(job));
        CHECK(created.ok(), created.ok() ? "" : format_error(created.error()));
    }
}

os::Task<void> wait_for(os::Loop& loop, const std::function<bool()>& done) {
    while (!done()) co_await os::sleep_for(loop, 2ms);
}

void run_many(const Options& options) {
    World world(options.directory);
    server::LocalClient client(*world.objects, server::controller_user("bench"));
    Finisher finisher(world);
    controllers::JobController controller(world.loop, client, world.metrics);
    controllers::GarbageController garbage(world.loop, client, world.metrics);
    controller.start();
    garbage.start();
    Many many;
    os::TaskScope tasks(world.loop);
    const auto start = Clock::now();
    tasks.spawn(follow_jobs(client, finisher, start, many));
    constexpr int kCreators = 200;
    for (int i = 0; i < kCreators; ++i) tasks.spawn(create_jobs(client, i, options.jobs, kCreators));
    const auto count = static_cast<std::size_t>(options.jobs);
    world.loop.run(wait_for(world.loop, [&] { return many.finish_seconds.size() == count; }));
    const std::size_t tenth = count / 10;
    const double first = many.finish_seconds[tenth - 1];
    const double last = many.finish_seconds.back() - many.finish_seconds[count - tenth - 1];
    std::printf("  %d one-pod Jobs: %.1f s, first tenth %.2f s, last tenth %.2f s: %.2f times as long\n", options.jobs,
                many.finish_seconds.back(), first, last, last / first);

    // No controller has looked at their time to live until now, and it is over for all of them.
    controllers::TtlController ttl(world.loop, client, world.metrics);
    const auto removing = Clock::now();
    ttl.start();
    world.loop.run(wait_for(world.loop, [&] { return many.deleted == count; }));
    const double took = seconds_since(removing);
    std::printf("  removed by their TTL, with their pods: %.1f s, %.0f Jobs a second\n", took, options.jobs / took);
}

// One Job at a time: from the pod's end to the Job's.
void run_latency(const Options& options) {
    World world(options.directory);
    server::LocalClient client(*world.objects, server::controller_user("bench"));
    Finisher finisher(world);
    controllers::JobController controller(world.loop, client, world.metrics);
    controller.start();
    Many many;
    os::TaskScope tasks(world.loop);
    tasks.spawn(follow_jobs(client, finisher, Clock::now(), many));
    for (std::size_t i = 0; i < 300; ++i) {
        CHECK(world.loop.run(client.create(make_job("one-" + std::to_string(i), 1, 1))).ok());
        world.loop.run(wait_for(world.loop, [&] { return many.finish_seconds.size() == i + 1; }));
    }
    std::sort(many.latency_seconds.begin(), many.latency_seconds.end());
    const auto at = [&](double share) {
        return 1000 * many.latency_seconds[static_cast<std::size_t>(share * (many.latency_seconds.size() - 1))];
    };
    std::printf("  from a pod's end to Complete: p50 %.2f ms, p99 %.2f ms\n", at(0.5), at(0.99));
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--completions")) options.completions = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--parallelism")) options.parallelism = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--jobs")) options.jobs = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--directory")) options.directory = argv[i + 1];
    }
    run_latency(options);
    const double small = run_one(options, 1000, 1000);
    const double large = run_one(options, options.completions, options.parallelism);
    std::printf("  a completion of many: %.2f times one of 1,000\n", large / small);
    run_many(options);
    std::filesystem::remove_all(options.directory);
}
