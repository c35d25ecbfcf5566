// The whole API server, as clients find it: the real binary on a fresh data directory, over TLS. How soon it is ready
// and what it holds when idle; durable creates, and GETs beside nginx serving a file of the same size; how soon a
// change is at a thousand watchers; what a flood, and TTL at work, do to a light client; and whether memory comes back.
//     server_bench [--seconds S] [--muster BINARY] [start|get|create|watch|idle|fair|ttl|groups|memory]…
// Clients and server share the machine, so rates are those of both together; CPU times are the server's alone.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "bench/http_load.h"
#include "bench/light_client.h"
#include "bench/muster_process.h"
#include "bench/nginx.h"
#include "bench/requests.h"
#include "bench/served.h"
#include "bench/watch_load.h"
#include "os/http/http_limits.h"

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kClients = 64;
constexpr double kMegabyte = 1 << 20;
const std::string kSeedPod = kPods + "/seed-1";

struct Setting {
    double seconds = 3;
    std::string binary;
    std::vector<std::string> controllers{"--controllers", "none"};
};

double resident_megabytes(pid_t pid) { return static_cast<double>(resident_bytes(pid)) / kMegabyte; }

// Start and idle memory ---------------------------------------------------------------------------------------------

struct Start {
    double milliseconds;
    double cpu_milliseconds;
};
Start start_of(const MusterProcess& muster) {
    return {muster.ready_seconds() * 1000, muster.ready_cpu_seconds() * 1000};
}

void print_start(const char* name, const std::vector<Start>& starts, const char* target) {
    std::vector<double> walls, cpus;
    for (const Start& start : starts) {
        walls.push_back(start.milliseconds);
        cpus.push_back(start.cpu_milliseconds);
    }
    std::printf("  %-34s %6.1f ms, %5.1f ms of CPU%s\n", name, spread_of(walls).p50, spread_of(cpus).p50, target);
}

void bench_start(const Setting& setting) {
    constexpr int kStarts = 7;
    std::vector<Start> first, prepared, again;
    for (int i = 0; i < kStarts; ++i) {
        const Folder folder("server_bench");
        const std::string one = folder.path() + "/one";
        const std::string two = folder.path() + "/two";
        MusterProcess fresh(setting.binary, one, setting.controllers);
        first.push_back(start_of(fresh));
        fresh.stop();
        std::filesystem::create_directory(two);
        std::filesystem::permissions(two, std::filesystem::perms(0700));
        std::filesystem::copy(one + "/pki", two + "/pki");
        MusterProcess empty(setting.binary, two, setting.controllers);
        prepared.push_back(start_of(empty));
        empty.stop();
        again.push_back(start_of(MusterProcess(setting.binary, two, setting.controllers)));
    }
    std::printf("start to ready, median of %d\n", kStarts);
    print_start("the very first", first, "  (target 300)");
    print_start("empty, with certificates made", prepared, "  (target 50)");
    print_start("again on the same data", again, "");

    const Folder folder("server_bench");
    const MusterProcess bare(setting.binary, folder.path() + "/bare", setting.controllers);
    const MusterProcess full(setting.binary, folder.path() + "/full", {"--controllers", "*"});
    std::this_thread::sleep_for(4s);
    std::printf("idle, resident: %.1f MB without controllers, %.1f MB with all of them  (target 25)\n",
                resident_megabytes(bare.pid()), resident_megabytes(full.pid()));
}

// Creates and GETs --------------------------------------------------------------------------------------------------

void print_load(const char* name, const LoadResult& result) {
    std::printf("  %-34s %8.0f /s  %6.1f us CPU each  p50 %6.0f us  p99 %6.0f us\n", name, result.requests_per_second,
                result.cpu_microseconds, result.p50_microseconds, result.p99_microseconds);
}

void bench_create(const Setting& setting) {
    const Folder folder("server_bench");
    const MusterProcess muster(setting.binary, folder.path(), setting.controllers);
    Load load(muster.address(), muster.client_context(true), kClients, next_create("pod-"));
    std::vector<LoadResult> results;
    for (int turn = 0; turn < 3; ++turn) results.push_back(load.run(setting.seconds / 3, muster.pid()));
    std::printf("durable creates of pods of %zu bytes, %d keep-alive clients  (target 10,000 /s)\n",
                pod_body("pod-1").size(), kClients);
    print_load("muster", median(results));
}

void bench_get(const Setting& setting) {
    const Folder folder("server_bench");
    const MusterProcess muster(setting.binary, folder.path(), setting.controllers);
    ask_once(muster, format_request("POST", kPods, pod_body("pod-1")));
    const std::string get = format_request("GET", kPods + "/pod-1");
    const std::size_t size = ask_once(muster, get);
    const Nginx nginx(muster.serving_identity(), std::string(size, 'x'));
    Load ours(muster.address(), muster.client_context(true), kClients, get);
    std::optional<Load> theirs;
    if (nginx)
        theirs.emplace(nginx.address(), muster.client_context(false), kClients, format_request("GET", "/object.json"));
    // In turns, so that a noisy moment falls on both.
    constexpr int kTurns = 5;
    std::vector<LoadResult> own, peer;
    for (int turn = 0; turn < kTurns; ++turn) {
        own.push_back(ours.run(setting.seconds / kTurns, muster.pid()));
        if (theirs) peer.push_back(theirs->run(setting.seconds / kTurns, nginx.pid()));
    }
    std::printf("GETs of a pod of %zu bytes, %d keep-alive clients  (target 20,000 /s, 0.5 of nginx)\n", size,
                kClients);
    const LoadResult own_median = median(own);
    print_load("muster", own_median);
    if (!theirs) return void(std::printf("  nginx is not installed: nothing to compare with\n"));
    const LoadResult peer_median = median(peer);
    print_load("nginx, a file of that size", peer_median);
    std::printf("  of nginx: %.2f by rate, %.2f by CPU\n",
                own_median.requests_per_second / peer_median.requests_per_second,
                peer_median.cpu_microseconds / own_median.cpu_microseconds);
}

// Watches -----------------------------------------------------------------------------------------------------------

const std::string kWatch = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0";

void print_delays(const char* name, std::vector<double> delays) {
    const Spread spread = spread_of(std::move(delays));
    std::printf("  %-34s p50 %6.1f ms  p99 %6.1f ms  worst %6.1f ms\n", name, spread.p50, spread.p99, spread.worst);
}

void bench_watch(const Setting& setting) {
    constexpr std::size_t kWatchers = 1000;
    constexpr std::size_t kSample = 50;
    os::raise_descriptor_limit();
    const Folder folder("server_bench");
    const MusterProcess muster(setting.binary, folder.path(), setting.controllers);
    const os::TlsContext context = muster.client_context(true);
    PacedWriter writer(muster.address(), context, kClients);
    writer.run(kClients, 1ms);  // makes the objects
    Watchers watchers(muster.address(), context, kWatch, kWatchers, kSample);
    std::thread receiving([&] { watchers.run(); });
    const double cpu = cpu_seconds(muster.pid());
    const auto start = Clock::now();
    const std::size_t wanted = static_cast<std::size_t>(setting.seconds * 1000);
    writer.run(wanted, 1ms);
    const double took = seconds_since(start);
    const double cores = (cpu_seconds(muster.pid()) - cpu) / took;
    std::this_thread::sleep_for(1s);
    watchers.stop();
    receiving.join();

    std::vector<double> from_sent, from_answered, answers;
    const auto milliseconds = [](Clock::duration span) {
        return std::chrono::duration<double, std::milli>(span).count();
    };
    const std::vector<PacedWriter::Change>& changes = writer.changes();
    for (std::size_t i = kClients; i < changes.size(); ++i)
        answers.push_back(milliseconds(changes[i].answered - changes[i].sent));
    for (const Watchers::Seen& seen : watchers.seen()) {
        if (seen.number < kClients) continue;  // the state that a watch begins with
        const PacedWriter::Change& change = changes[seen.number];
        from_sent.push_back(milliseconds(seen.at - change.sent));
        from_answered.push_back(std::max(0.0, milliseconds(seen.at - change.answered)));
    }
    std::printf("%zu watchers, %.0f changes a second (%zu had to wait)  (target: p99 100 ms from commit)\n", kWatchers,
                static_cast<double>(wanted) / took, writer.late());
    print_delays("sent to durable answer", std::move(answers));
    print_delays("sent to a watcher's socket", from_sent);
    print_delays("durable answer to a socket", std::move(from_answered));
    std::printf("  the server's CPU: %.2f cores; %zu of %zu events seen by the %zu watchers that look\n", cores,
                from_sent.size(), wanted * watchers.sampled(), watchers.sampled());
}

void bench_idle(const Setting& setting) {
    constexpr std::size_t kWatchers = 5000;
    os::raise_descriptor_limit();
    const Folder folder("server_bench");
    const MusterProcess muster(setting.binary, folder.path(), setting.controllers);
    std::this_thread::sleep_for(2s);
    const std::size_t before = resident_bytes(muster.pid());
    const Watchers watchers(muster.address(), muster.client_context(true), kWatch, kWatchers, 0);
    std::this_thread::sleep_for(3s);
    const std::size_t after = resident_bytes(muster.pid());
    std::printf("%zu idle watchers: %.1f KB of memory each\n", kWatchers,
                static_cast<double>(after - before) / 1024 / static_cast<double>(kWatchers));
}

// A light client beside a flood -------------------------------------------------------------------------------------

// 64 connections in a process with lower priority than the server and the light client, so that the result shows the
// server's fairness and not the kernel's.
void flood(const MusterProcess& muster, const Load::NextRequest& next, double seconds, int to) {
    errno = 0;
    CHECK(::nice(10) != -1 || errno == 0);
    Load load(muster.address(), muster.client_context(false), kClients, next);
    tell(to, "connected\n");
    const LoadResult result = load.run(seconds, muster.pid());
    char text[200];
    std::snprintf(text, sizeof(text), "%.0f /s, %.1f MB/s, %zu refused", result.requests_per_second,
                  static_cast<double>(result.body_bytes) / kMegabyte / seconds, result.refused);
    tell(to, std::string(text) + "\n");
}

void bench_fair(const Setting& setting) {
    const Folder folder("server_bench");
    write_file(folder.path() + "/tokens", kTokens);
    std::vector<std::string> options = setting.controllers;
    options.insert(options.end(), {"--token-auth-file", folder.path() + "/tokens"});
    const MusterProcess muster(setting.binary, folder.path() + "/data", options);
    Load(muster.address(), muster.client_context(true), 16, next_create("seed-")).run(60, muster.pid(), 1000);

    const std::string list = format_request("GET", kPods + "?limit=500", {}, kHeavy);
    using Flood = std::function<Load::NextRequest(int round)>;
    const std::vector<std::pair<const char*, Flood>> floods{
        {"lists of 500 pods", [&](int) { return [list]() -> std::string_view { return list; }; }},
        {"creates of pods", [](int round) { return next_create("flood-" + std::to_string(round) + "-", kHeavy); }}};
    std::printf("a light client, one GET every 5 ms; another user floods with %d connections  (target: p99 x 3)\n",
                kClients);
    LightClient light(muster, kSeedPod);
    for (const auto& [name, requests] : floods) {
        Beside beside;
        std::string achieved;
        for (int round = 0; round < kRounds; ++round) {
            beside.measure_quiet(light, setting.seconds / 2);
            Served heavy([&, next = requests(round)](int to) { flood(muster, next, setting.seconds / 2 + 0.5, to); });
            heavy.line();
            std::this_thread::sleep_for(200ms);
            beside.measure(light, setting.seconds / 2);
            achieved = heavy.line();
            std::this_thread::sleep_for(300ms);
        }
        beside.print(name, achieved);
    }
}

// Jobs that end and go ----------------------------------------------------------------------------------------------

std::string finishing_job(const std::string& name) {
    return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name +
           R"("},"spec":{"ttlSecondsAfterFinished":0,"template":{"metadata":{"annotations":{)"
           R"("simulation.muster.dev/duration":"0s"}},"spec":{"restartPolicy":"Never","containers":[)"
           R"({"name":"main","image":"none","command":["true"]}]}}}})";
}

// 50,000 one-pod Jobs, all finished, whose time is up when the TTL controller is started.
void bench_ttl(const Setting& setting) {
    constexpr std::size_t kCount = 50000;
    constexpr double kRound = 0.5;  // seconds
    const Folder folder("server_bench");
    write_file(folder.path() + "/tokens", kTokens);
    const auto options = [&](const char* controllers) {
        return std::vector<std::string>{"--controllers", controllers, "--token-auth-file", folder.path() + "/tokens"};
    };
    Beside beside;
    {
        MusterProcess muster(setting.binary, folder.path() + "/data", options("*,-ttl"), "simulated=500");
        auto number = std::make_shared<std::size_t>(0);
        auto request = std::make_shared<std::string>();
        Load(muster.address(), muster.client_context(true), 16, [=]() -> std::string_view {
            return *request = format_request("POST", kJobs, finishing_job("job-" + std::to_string(++*number)));
        }).run(600, muster.pid(), kCount);
        while (!is_empty(muster, kJobs + "?limit=1&fieldSelector=status.successful=0"))
            std::this_thread::sleep_for(200ms);
        ask_once(muster, format_request("POST", kPods, pod_body("seed-1")));
        std::this_thread::sleep_for(1s);
        LightClient light(muster, kSeedPod);
        for (int round = 0; round < kRounds; ++round) beside.measure_quiet(light, kRound);
        muster.stop();
    }
    const MusterProcess muster(setting.binary, folder.path() + "/data", options("*"), "simulated=500");
    const auto start = Clock::now();
    LightClient light(muster, kSeedPod);
    light.spread_over(1);  // everything is read for the first time: another matter
    while (!is_empty(muster, kJobs + "?limit=1")) beside.measure(light, kRound);
    const double took = seconds_since(start);
    std::printf("TTL removes %zu Jobs and their pods in %.1f s (%.0f Jobs/s; target 10,000); a light client, p99 x 3\n",
                kCount, took, static_cast<double>(kCount) / took);
    beside.print("removals", "");
}

// Groups through a queue --------------------------------------------------------------------------------------------

constexpr std::size_t kGroupedPods = 10000;
constexpr std::size_t kGroupSize = 10;

void make_queue(const MusterProcess& muster) {
    const std::string group = "/apis/kueue.x-k8s.io/v1beta2/";
    const auto make = [&](const std::string& path, const std::string& kind, const std::string& spec) {
        const std::string body = R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":")" + kind +
                                 R"(","metadata":{"name":"queue"},"spec":)" + spec + "}";
        ask_once(muster, format_request("POST", group + path, body));
    };
    make("resourceflavors", "ResourceFlavor", "{}");
    make("clusterqueues", "ClusterQueue",
         R"({"namespaceSelector":{},"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"queue",)"
         R"("resources":[{"name":"cpu","nominalQuota":"1000"}]}]}]})");
    make("namespaces/default/localqueues", "LocalQueue", R"({"clusterQueue":"queue"})");
}

std::string grouped_pod(std::size_t number) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)" + std::to_string(number) +
           R"(","labels":{"kueue.x-k8s.io/queue-name":"queue","kueue.x-k8s.io/pod-group-name":"group-)" +
           std::to_string(number / kGroupSize) +
           R"("},"annotations":{"simulation.muster.dev/duration":"0s","kueue.x-k8s.io/pod-group-total-count":")" +
           std::to_string(kGroupSize) +
           R"("}},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"none","command":["true"],)"
           R"("resources":{"requests":{"cpu":"1"}}}]}})";
}

// Quota lets a tenth of them run at a time.
void bench_groups(const Setting& setting) {
    const Folder folder("server_bench");
    const MusterProcess muster(setting.binary, folder.path() + "/data", {}, "simulated=100");
    make_queue(muster);
    auto number = std::make_shared<std::size_t>(0);
    auto request = std::make_shared<std::string>();
    const auto begun = Clock::now();
    // A client whose turn comes when all are made asks for something else.
    Load(muster.address(), muster.client_context(true), 16, [=]() -> std::string_view {
        *request = *number < kGroupedPods ? format_request("POST", kPods, grouped_pod(*number))
                                          : format_request("GET", "/version");
        ++*number;
        return *request;
    }).run(600, muster.pid(), kGroupedPods);
    const double created = seconds_since(begun);
    const std::string unfinished = kPods + "?limit=1&fieldSelector=status.phase!=Succeeded";
    while (!is_empty(muster, unfinished)) std::this_thread::sleep_for(20ms);
    std::printf("%zu pods in %zu groups through one queue: made in %.1f s, all finished %.1f s later  (target 10 s)\n",
                kGroupedPods, kGroupedPods / kGroupSize, created, seconds_since(begun) - created);
}

// Memory ------------------------------------------------------------------------------------------------------------

std::string config_map(const std::string& name, std::size_t bytes) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("},"data":{"text":")" +
           std::string(bytes, 't') + R"("}})";
}

void bench_memory(const Setting& setting) {
    const Folder folder("server_bench");
    const MusterProcess muster(setting.binary, folder.path(), setting.controllers);
    const os::TlsContext context = muster.client_context(true);
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    for (int i = 0; i < 100; ++i)
        ask_once(muster, format_request("POST", maps, config_map("map-" + std::to_string(i), 20'000)));
    std::this_thread::sleep_for(2s);
    const double before = resident_megabytes(muster.pid());

    const std::string list = format_request("GET", maps);
    const std::string dry = format_request("POST", maps + "?dryRun=All", config_map("dry", 900'000));
    const std::string put = format_request("PUT", maps + "/map-1", config_map("map-1", 900'000));
    double most = before;
    for (const std::string* request : {&list, &dry, &put}) {
        const std::size_t each = request == &list ? 2'000'000 : 900'000;
        Load(muster.address(), context, 16, *request).run(60, muster.pid(), 100'000'000 / each);
        most = std::max(most, resident_megabytes(muster.pid()));
    }
    ask_once(muster, format_request("PUT", maps + "/map-1", config_map("map-1", 20'000)));
    std::printf("memory: %.1f MB before, %.1f MB after 100 MB each of lists, bodies tried (dry run) and bodies stored",
                before, most);
    for (int i = 0; i < 20 && resident_megabytes(muster.pid()) > before + 5; ++i) std::this_thread::sleep_for(500ms);
    const double after = resident_megabytes(muster.pid());
    std::printf(", %.1f MB when it has calmed down: %+.1f MB  (target +64)\n", after, after - before);
}

}  // namespace
}  // namespace muster::bench

int main(int count, char** arguments) {
    using namespace muster::bench;
    Setting setting;
    setting.binary = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "muster").string();
    std::vector<std::string> wanted;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--seconds") == 0 && i + 1 < count) {
            setting.seconds = std::atof(arguments[++i]);
        } else if (std::strcmp(arguments[i], "--muster") == 0 && i + 1 < count) {
            setting.binary = arguments[++i];
        } else {
            wanted.emplace_back(arguments[i]);
        }
    }
    const std::vector<std::pair<const char*, void (*)(const Setting&)>> parts{
        {"start", bench_start}, {"create", bench_create}, {"get", bench_get},
        {"watch", bench_watch}, {"idle", bench_idle},     {"fair", bench_fair},
        {"ttl", bench_ttl},     {"groups", bench_groups}, {"memory", bench_memory}};
    for (const auto& [name, run] : parts) {
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) run(setting);
        std::fflush(stdout);
    }
}
