// Pods that do nothing, run for real: one Job of them through the whole of `muster up` (API, Job controller, scheduler,
// agent, the keeper's process, a durable store), against what the machine itself can start in the same run: bare vfork,
// exec and wait on both processors, `xargs -P2`, and GNU parallel where it is installed.
//     node_bench [--pods N] [--parallelism N] [--muster PATH] [--only dynamic|static]
// The programs are /bin/true and one of a few kilobytes that is linked statically. Times are from the Job's creation to
// its Complete condition; processor time is per pod, by thread.
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

#include <map>
#include <thread>

#include "bench/api_session.h"
#include "bench/bare.h"
#include "bench/muster_process.h"
#include "os/process/process_table.h"

namespace muster::bench {
namespace {

struct Options {
    int pods = 10'000;
    int parallelism = 1'000;
    std::string muster = own_folder() + "/muster";
    std::string nothing = own_folder() + "/nothing";
    std::string only{};  // of the two programs

    static std::string own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().string(); }
};

// Processor seconds by thread, and of the keeper by itself.
using Spent = std::map<std::string, double>;

void add_threads(Spent& spent, pid_t pid, const std::string& whole) {
    std::error_code ignored;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
        double nanoseconds = 0;
        std::ifstream(task.path() / "schedstat") >> nanoseconds;
        std::string name = whole;
        const bool main_thread = task.path().filename() == std::to_string(pid);
        if (name.empty() && !main_thread) {
            std::ifstream comm(task.path() / "comm");
            std::getline(comm, name);
        }
        spent[name.empty() ? "loop" : name] += nanoseconds / 1e9;
    }
}

class Measured {
public:
    explicit Measured(const Options& options)
        : options_(options),
          folder_("muster-node-bench"),
          muster_(options.muster, data(), {}, "process"),
          session_(data()) {}

    // Pods a second.
    double run_job(const std::string& name, const std::string& program) {
        const Spent before = spent();
        const std::uint64_t revision = session_.metric("muster_store_revision");
        const auto start = Clock::now();
        session_.create_job(name, options_.pods, options_.parallelism, program_pod(program));
        session_.wait_complete(name);
        const double took = seconds_since(start);
        const double pods = options_.pods;
        std::printf("    muster: %.2f s, %.0f pods a second, %.1f writes a pod\n", took, pods / took,
                    static_cast<double>(session_.metric("muster_store_revision") - revision) / pods);
        std::printf("    processor time a pod:");
        for (auto [thread, seconds] : spent()) {
            const auto earlier = before.find(thread);
            if (earlier != before.end()) seconds -= earlier->second;
            const double micros = 1e6 * seconds / pods;
            if (micros >= 1) std::printf(" %s %.0f µs", thread.c_str(), micros);
        }
        std::printf("\n");
        return pods / took;
    }
    void stop() { muster_.stop(); }

private:
    std::string data() const { return folder_.path() + "/data"; }

    Spent spent() const {
        Spent spent;
        add_threads(spent, muster_.pid(), "");
        // The lock is the guardian's, which does nothing; the keeper is its child.
        const int guardian = std::atoi(read_file(data() + "/node/keeper.lock").c_str());
        for (const int pid : os::children_of(guardian))
            if (read_file("/proc/" + std::to_string(pid) + "/cmdline").find("node-helper") != std::string::npos)
                add_threads(spent, pid, "keeper");
        return spent;
    }
    const Options& options_;
    Folder folder_;
    MusterProcess muster_;
    ApiSession session_;
};

void compare(Measured& measured, const Options& options, const std::string& name, const std::string& program) {
    std::printf("  %d pods of %s, parallelism %d\n", options.pods, program.c_str(), options.parallelism);
    const double bare = bare_rate(program.c_str(), options.pods);
    const double pods = measured.run_job(name, program);
    const double xargs = xargs_rate(program, options.pods);
    std::printf("    bare vfork, exec and wait: %.0f a second; muster has %.2f of it\n", bare, pods / bare);
    std::printf("    xargs -P2: %.0f a second; muster has %.2f of it\n", xargs, pods / xargs);
    if (!has_parallel()) return;
    const int count = options.pods / 10;
    const double parallel =
        shell_rate("seq " + std::to_string(count) + " | parallel -j2 -n1 " + program + " >/dev/null 2>&1", count);
    std::printf("    GNU parallel -j2: %.0f a second; muster has %.2f of it\n", parallel, pods / parallel);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
    using namespace muster::bench;
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string flag = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (flag == "--pods" && !value.empty()) {
            options.pods = std::atoi(value.c_str());
        } else if (flag == "--parallelism" && !value.empty()) {
            options.parallelism = std::atoi(value.c_str());
        } else if (flag == "--muster" && !value.empty()) {
            options.muster = value;
        } else if (flag == "--only" && (value == "dynamic" || value == "static")) {
            options.only = value;
        } else {
            std::fprintf(stderr,
                         "usage: node_bench [--pods N] [--parallelism N] [--muster PATH] "
                         "[--only dynamic|static]\n");
            return 2;
        }
    }
    Measured measured(options);
    if (options.only != "static") compare(measured, options, "dynamic", "/bin/true");
    if (options.only != "dynamic") compare(measured, options, "static", options.nothing);
    measured.stop();
}
