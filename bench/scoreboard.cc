// The figures that users notice, each beside a reference that is taken in the same run: `make bench` prints them as one
// table and writes bench/results.json. The shipped binary is measured from outside, at settings that a user would
// choose: sync on, TLS on. Of each figure the best of several rounds counts.
//     scoreboard [--rounds N] [--output FILE] [--muster BINARY] [ROW…]
// A row whose reference is not installed says so and has none.
#include <boost/json.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/codec/decode.h"
#include "api/kinds/core/pod.h"
#include "bench/api_session.h"
#include "bench/bare.h"
#include "bench/board.h"
#include "bench/measure.h"
#include "bench/nginx.h"
#include "bench/peers.h"
#include "bench/pod_sample.h"
#include "bench/requests.h"
#include "bench/run_program.h"

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kClients = 64;
constexpr double kMegabyte = 1e6;

const std::filesystem::path kBuilt = std::filesystem::read_symlink("/proc/self/exe").parent_path();

struct Setting {
    int rounds = 3;
    std::string output{};
    std::string muster = kBuilt / "muster";
    std::string peers = kBuilt.parent_path() / "conformance/go/peers/up";
    std::vector<std::string> only{};
};

// Seconds that the program takes, from its start to its exit, which must be good.
double seconds_of(const std::vector<std::string>& words) {
    const auto start = Clock::now();
    run_program(words);
    return seconds_since(start);
}

// The figures -------------------------------------------------------------------------------------------------------

Figure time_ready(const Setting& setting) {
    const Folder folder("scoreboard");
    { MusterProcess(setting.muster, folder.path() + "/data").stop(); }  // makes certificates
    MusterProcess muster(setting.muster, folder.path() + "/data");
    muster.stop();
    return {muster.ready_seconds() * 1000, seconds_of({"/bin/true"}) * 1000};
}

Figure rate_creates(const Setting& setting) {
    const Folder folder("scoreboard");
    const double synced = sync_rate(folder.path() + "/synced", pod_body("pod-1").size(), 1);
    const MusterProcess muster(setting.muster, folder.path() + "/data", {"--controllers", "none"});
    Load load(muster.address(), muster.client_context(true), kClients, next_create("pod-"));
    return {load.run(2, muster.pid()).requests_per_second, synced};
}

Figure rate_gets(const Setting& setting) {
    const Folder folder("scoreboard");
    const MusterProcess muster(setting.muster, folder.path() + "/data", {"--controllers", "none"});
    ask_once(muster, format_request("POST", kPods, pod_body("pod-1")));
    const std::string get = format_request("GET", kPods + "/pod-1");
    const std::size_t size = ask_once(muster, get);
    Figure figure;
    figure.value =
        Load(muster.address(), muster.client_context(true), kClients, get).run(2, muster.pid()).requests_per_second;
    const Nginx nginx(muster.serving_identity(), std::string(size, 'x'));
    if (nginx)
        figure.reference =
            Load(nginx.address(), muster.client_context(false), kClients, format_request("GET", "/object.json"))
                .run(2, nginx.pid())
                .requests_per_second;
    return figure;
}

// Seconds from the creation of an Indexed Job to its completion, by a client outside.
double time_indexed_job(ApiSession& session, int completions, int parallelism) {
    const auto start = Clock::now();
    session.create_job("indexed", completions, parallelism, simulated_pod());
    session.wait_complete("indexed");
    return seconds_since(start);
}

struct SimulatedJob {
    double seconds;
    double megabytes;
};
SimulatedJob run_simulated_job(const Setting& setting) {
    const Folder folder("scoreboard");
    const std::string data = folder.path() + "/data";
    MusterProcess muster(setting.muster, data, {}, "simulated=10");
    ApiSession session(data);
    const double seconds = time_indexed_job(session, 100'000, 10'000);
    const SimulatedJob job{seconds, static_cast<double>(resident_bytes(muster.pid())) / kMegabyte};
    muster.stop();
    return job;
}

// A Job of one pod shows before that all controllers are at work.
double time_job_of_a_ready_control_plane(const std::string& directory) {
    ApiSession session(directory);
    session.create_job("first", 1, 1, simulated_pod());
    session.wait_complete("first");
    return time_indexed_job(session, 5000, 500);
}

// Both with ten nodes that do nothing but say that pods have run, and both with a disk that is synced.
Figure time_job_beside_kubernetes(const Setting& setting, bool with_reference) {
    const Folder folder("scoreboard");
    Figure figure;
    {
        MusterProcess muster(setting.muster, folder.path() + "/data", {}, "simulated=10");
        figure.value = time_job_of_a_ready_control_plane(folder.path() + "/data");
        muster.stop();
    }
    if (!with_reference) return figure;
    const Peers peers(setting.peers, folder.path() + "/peers");
    figure.missing = peers.missing();
    if (peers) figure.reference = time_job_of_a_ready_control_plane(folder.path() + "/peers");
    return figure;
}

constexpr int kRunTasks = 10'000;

Figure time_run(const Setting& setting, int parallelism) {
    const std::string tasks = std::to_string(kRunTasks);
    const Folder folder("scoreboard");
    const std::string slots = std::to_string(parallelism);
    Figure figure;
    figure.value = seconds_of({setting.muster, "run", "--data-dir", folder.path() + "/data", "--completions", tasks,
                               "--parallelism", slots, "--", "true"});
    figure.reference = seconds_of({"sh", "-c", "seq " + tasks + " | xargs -n1 -P" + slots + " true"});
    return figure;
}

// GNU parallel takes milliseconds for a task: a tenth of the tasks is enough for its rate.
Figure rate_run_beside_parallel(const Figure& run) {
    constexpr int kFewTasks = 1000;
    Figure figure{kRunTasks / run.value, {}};
    if (has_parallel())
        figure.reference =
            shell_rate("seq " + std::to_string(kFewTasks) + " | parallel -j2 -n1 true >/dev/null 2>&1", kFewTasks);
    return figure;
}

Figure rate_pods(const Setting& setting) {
    constexpr int kPodCount = 10'000;
    const Folder folder("scoreboard");
    const std::string data = folder.path() + "/data";
    MusterProcess muster(setting.muster, data, {}, "process");
    ApiSession session(data);
    const double bare = bare_rate("/bin/true", kPodCount);
    const auto start = Clock::now();
    session.create_job("pods", kPodCount, 1000, program_pod("/bin/true"));
    session.wait_complete("pods");
    const double rate = kPodCount / seconds_since(start);
    muster.stop();
    return {rate, bare};
}

// Sends what `make` gives for each number, from several clients.
void send_all(const MusterProcess& muster, std::size_t count, const std::function<std::string(std::size_t)>& make) {
    std::size_t number = 0;
    std::string request;
    // A client whose turn comes when all are sent asks for something else.
    Load(muster.address(), muster.client_context(true), kClients, [&]() -> std::string_view {
        request = number < count ? make(number) : format_request("GET", "/version");
        ++number;
        return request;
    }).run(600, muster.pid(), count);
}

void wait_all_jobs(const MusterProcess& muster) {
    const std::string unfinished = kJobs + "?limit=1&fieldSelector=status.successful%3D0";
    while (!is_empty(muster, unfinished)) std::this_thread::sleep_for(20ms);
}

Figure time_small_jobs(const Setting& setting) {
    const Folder folder("scoreboard");
    const MusterProcess muster(setting.muster, folder.path() + "/data", {}, "simulated=500");
    const auto start = Clock::now();
    send_all(muster, 50'000, [](std::size_t number) {
        return format_request("POST", kJobs,
                              R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-)" +
                                  std::to_string(number) + R"("},"spec":{"template":)" + simulated_pod() + "}}");
    });
    wait_all_jobs(muster);
    return {seconds_since(start), {}};
}

// Queueing in the shape of Kueue's large-scale test: 10 cohorts of 100 queues with 20 cores each, 50 Jobs a queue.
// There, Workloads are created and declared finished by the harness; here Jobs run on simulated nodes.
struct QueuedClass {
    const char* name;
    std::size_t count;  // in each queue
    int cores;
    const char* duration;
    int priority;
};
constexpr QueuedClass kQueuedClasses[] = {
    {"small", 35, 1, "150ms", 50}, {"medium", 11, 5, "350ms", 100}, {"large", 4, 20, "700ms", 200}};
constexpr std::size_t kCohorts = 10;
constexpr std::size_t kQueuesInCohort = 100;
constexpr std::size_t kQueues = kCohorts * kQueuesInCohort;
const std::string kKueue = "/apis/kueue.x-k8s.io/v1beta2";

std::string cluster_queue_request(std::size_t number) {
    const std::string name = "q" + std::to_string(number);
    return format_request("POST", kKueue + "/clusterqueues",
                          R"({"metadata":{"name":")" + name + R"("},"spec":{"cohortName":"c)" +
                              std::to_string(number / kQueuesInCohort) +
                              R"(","namespaceSelector":{},"preemption":{"reclaimWithinCohort":"Any",)"
                              R"("withinClusterQueue":"LowerPriority"},"resourceGroups":[{"coveredResources":["cpu"],)"
                              R"("flavors":[{"name":"rf","resources":[{"name":"cpu","nominalQuota":"20",)"
                              R"("borrowingLimit":"100"}]}]}]}})");
}
std::string local_queue_request(std::size_t number) {
    const std::string name = "q" + std::to_string(number);
    return format_request("POST", kKueue + "/namespaces/default/localqueues",
                          R"({"metadata":{"name":")" + name + R"("},"spec":{"clusterQueue":")" + name + R"("}})");
}
// The Jobs of all queues, one of each queue after the other.
std::string queued_job_request(std::size_t number) {
    std::size_t turn = number / kQueues;
    const QueuedClass* of = kQueuedClasses;
    for (; turn >= of->count; ++of) turn -= of->count;
    const std::string queue = "q" + std::to_string(number % kQueues);
    return format_request("POST", kJobs,
                          R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-)" + std::to_string(number) +
                              R"(","labels":{"kueue.x-k8s.io/queue-name":")" + queue +
                              R"(","kueue.x-k8s.io/priority-class":")" + of->name +
                              R"("}},"spec":{"suspend":true,"template":{"metadata":{"annotations":)"
                              R"({"simulation.muster.dev/duration":")" +
                              of->duration +
                              R"("}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"none",)"
                              R"("command":["true"],"resources":{"requests":{"cpu":")" +
                              std::to_string(of->cores) + R"("}}}]}}}})");
}

Figure time_queued_jobs(const Setting& setting) {
    const Folder folder("scoreboard");
    const MusterProcess muster(setting.muster, folder.path() + "/data", {}, "simulated=1000");
    ask_once(muster, format_request("POST", kKueue + "/resourceflavors", R"({"metadata":{"name":"rf"}})"));
    std::size_t jobs = 0;
    for (const QueuedClass& of : kQueuedClasses) {
        ask_once(muster, format_request("POST", kKueue + "/workloadpriorityclasses",
                                        std::string(R"({"metadata":{"name":")") + of.name + R"("},"value":)" +
                                            std::to_string(of.priority) + "}"));
        jobs += of.count * kQueues;
    }
    send_all(muster, kQueues, cluster_queue_request);
    send_all(muster, kQueues, local_queue_request);
    const auto start = Clock::now();
    send_all(muster, jobs, queued_job_request);
    wait_all_jobs(muster);
    return {seconds_since(start), {}};
}

// Pods a second that are decoded from JSON and from its tree in memory.
Figure rate_decoding() {
    std::vector<Contender> contenders = {
        {"declared type",
         [] {
             api::core::Pod pod;
             CHECK(api::decode_json(api::core::Pod::info(), &pod, kPodJson).ok());
         }},
        {"Boost.JSON",
         [] {
             (void)boost::json::parse({kPodJson.data(), kPodJson.size()});
         }},
    };
    take_turns(contenders, 201, 200);
    return {1e9 / contenders[0].nanoseconds, 1e9 / contenders[1].nanoseconds};
}

// Gives the exit code.
int run(const Setting& setting) {
    Board board(setting.rounds, setting.only);
    board.take({{"start-ready", "ms", false, "/bin/true", 20}}, [&] { return std::vector{time_ready(setting)}; });
    board.take({{"https-creates", "/s", true, "write and fdatasync", 25'000}},
               [&] { return std::vector{rate_creates(setting)}; });
    board.take({{"https-gets", "/s", true, "nginx", NAN, 0.8}}, [&] { return std::vector{rate_gets(setting)}; });
    board.take({{"pods-true-parallelism-1000", "/s", true, "vfork, exec, wait", NAN, 0.75}},
               [&] { return std::vector{rate_pods(setting)}; });
    board.take({{"run-10000-true-parallelism-2", "s", false, "xargs -P2", NAN, 0.6},
                {"run-rate-parallelism-2", "/s", true, "parallel -j2", NAN, 1.0}},
               [&] {
                   const Figure run = time_run(setting, 2);
                   return std::vector{run, rate_run_beside_parallel(run)};
               });
    board.take({{"run-10000-true-parallelism-8", "s", false, "xargs -P8", NAN, 1.0}},
               [&] { return std::vector{time_run(setting, 8)}; });
    board.take({{"indexed-job-100000-simulated", "s", false, "", 5}, {"memory-after-that-job", "MB", false, "", 200}},
               [&] {
                   const SimulatedJob job = run_simulated_job(setting);
                   return std::vector{Figure{job.seconds, {}}, Figure{job.megabytes, {}}};
               });
    bool with_reference = true;  // in one round: it takes minutes
    board.take({{"indexed-job-5000-parallelism-500", "s", false, "Kubernetes on kwok", NAN, 10}},
               [&] { return std::vector{time_job_beside_kubernetes(setting, std::exchange(with_reference, false))}; });
    board.take({{"one-pod-jobs-50000-simulated", "s", false, "", 8}},
               [&] { return std::vector{time_small_jobs(setting)}; });
    board.take({{"queued-jobs-50000-in-1000-queues", "s", false, "", 60}},
               [&] { return std::vector{time_queued_jobs(setting)}; });
    board.take({{"json-decode-pods", "/s", true, "Boost.JSON parse", NAN, 1.0}},
               [] { return std::vector{rate_decoding()}; });
    if (const std::string unknown = board.describe_unknown(); !unknown.empty()) {
        std::fprintf(stderr, "scoreboard: %s\n", unknown.c_str());
        return 2;
    }
    if (!setting.output.empty()) write_results(setting.output, board.rows());
    return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Setting setting;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const bool has_value = i + 1 < argc;
        if (word == "--rounds" && has_value) {
            setting.rounds = std::max(1, std::atoi(argv[++i]));
        } else if (word == "--output" && has_value) {
            setting.output = argv[++i];
        } else if (word == "--muster" && has_value) {
            setting.muster = argv[++i];
        } else if (word.starts_with('-')) {
            std::fprintf(stderr, "scoreboard: unknown flag %s\n", word.c_str());
            return 2;
        } else {
            setting.only.push_back(word);
        }
    }
    return run(setting);
}
