// What a durable write costs, alone and in company; how long opening takes; what watches and memory cost.
//     store_bench [--json] [--directory DIR] [--only durable,latency,open,watch,memory] [--seconds N]
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/prng.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/machine/memory.h"
#include "store/rocksdb/rocksdb_journal.h"
#include "store/store.h"

namespace muster::store {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

using Fields = std::array<Text, 12>;

void put_field(std::string& out, const Text& field) {
    const char tag[2] = {'\n', static_cast<char>(field.size())};
    out.append(tag, 2);
    out.append(field.view());
}

// About what a pod is: metadata that its versions share, a status that changes, and a spec that all pods of a Job
// share. Some 500 bytes of its own on disk.
class Pod final : public Object {
public:
    std::string_view uid() const override { return (*metadata.get())[0]; }
    void stamp(Revision revision) override { stamped = revision; }
    Difference difference_from(const Object& other) const override {
        return status == static_cast<const Pod&>(other).status ? Difference::kNone : Difference::kStatus;
    }
    void encode_own(RecordWriter& writer) const override {
        const std::uint64_t part = writer.part(
            SharedBlock(spec), [](const void* text, std::string& out) { out = *static_cast<const std::string*>(text); },
            spec.get());
        writer.bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
        for (const Text& field : *metadata.get()) put_field(writer.bytes, field);
    }
    void encode_status(RecordWriter& writer) const override {
        for (const Text& field : status) put_field(writer.bytes, field);
    }
    std::size_t weight(const Object*) const override { return sizeof(Pod) + 100; }

    Shared<Fields> metadata;
    Fields status;
    Shared<std::string> spec;
    Revision stamped = 0;
};

class PodCodec final : public Codec {
public:
    Result<ObjectPtr> decode(std::string_view, Revision revision, std::string_view own, PartSource& parts) override {
        auto pod = std::make_shared<Pod>();
        std::uint64_t part;
        std::memcpy(&part, own.data(), sizeof part);
        own.remove_prefix(sizeof part);
        for (Text& field : pod->metadata.edit()) take_field(own, field);
        for (Text& field : pod->status) take_field(own, field);
        TRY_ASSIGN(SharedBlock block, parts.find(part));
        if (!block.identity()) {
            TRY_ASSIGN(const std::string_view bytes, parts.bytes(part));
            Shared<std::string> spec;
            spec.edit() = std::string(bytes);
            block = SharedBlock(spec);
            parts.decoded(part, block);
        }
        pod->spec = block.as<std::string>();
        pod->stamp(revision);
        return ObjectPtr(std::move(pod));
    }

private:
    static void take_field(std::string_view& own, Text& field) {
        const auto size = static_cast<unsigned char>(own[1]);
        field = Text(own.substr(2, size));
        own.remove_prefix(2 + size);
    }
};

// Keeps nothing.
class NoJournal final : public Journal {
public:
    explicit NoJournal(os::Loop& on) : loop_(on) {}
    Result<Revision> recover(Codec&, const Each&) override { return Revision{0}; }
    void commit(Group, os::Work durable) override { loop_.post(std::move(durable)); }

private:
    os::Loop& loop_;
};

struct World {
    explicit World(std::string data_directory, StoreOptions store_options = {}) : directory(std::move(data_directory)) {
        if (directory.empty()) {
            journal = std::make_unique<NoJournal>(loop);
        } else {
            journal = RocksdbJournal::open(loop, std::make_unique<os::ThreadWorker>("journal"), directory).value();
        }
        store = Store::open(loop, *journal, codec, store_options).value();
    }
    std::string directory;
    os::RealLoop loop;
    PodCodec codec;
    std::unique_ptr<Journal> journal;
    std::unique_ptr<Store> store;
};

std::string pod_key(std::size_t i) {
    char key[64];
    std::snprintf(key, sizeof key, "//pods/team-batch/render-frames-%06zu-x7k2p", i);
    return key;
}

Shared<std::string> make_spec() {
    Shared<std::string> spec;
    spec.edit() = std::string(1500, 's');
    return spec;
}

std::shared_ptr<Pod> make_pod(std::size_t i, const Shared<std::string>& spec) {
    auto pod = std::make_shared<Pod>();
    pod->spec = spec;
    static const Text common[4] = {Text("Running"), Text("batch.kubernetes.io/job-tracking"), Text("True"),
                                   Text("render-frames")};
    Fields& metadata = pod->metadata.edit();
    for (std::size_t f = 0; f < metadata.size(); ++f) {
        const bool own = f % 3 == 0;  // a name, a UID, a time
        metadata[f] =
            own ? Text("0f3a9c2e-77aa-4a1b-" + std::to_string(1'000'000 + i) + std::to_string(f)) : common[f % 4];
        pod->status[f] = f % 3 == 0 ? Text("2024-05-06T07:08:09Z") : common[f % 4];
    }
    return pod;
}

struct Usage {
    Clock::time_point at = Clock::now();
    double cpu = cpu_now(RUSAGE_SELF);
    double thread_cpu = cpu_now(RUSAGE_THREAD);
    static double cpu_now(__rusage_who who) {
        rusage use{};
        getrusage(who, &use);
        return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
               1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - at).count(); }
    double cpu_seconds() const { return cpu_now(RUSAGE_SELF) - cpu; }
    double thread_cpu_seconds() const { return cpu_now(RUSAGE_THREAD) - thread_cpu; }
};

struct Report {
    bool json = false;
    bool first = true;
    void add(const std::string& name, double value, const std::string& unit, const std::string& target = "") {
        if (json) {
            std::printf("%s\n  {\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"target\": \"%s\"}",
                        first ? "[" : ",", name.c_str(), value, unit.c_str(), target.c_str());
        } else {
            std::printf("%-52s %14.6g %-10s %s\n", name.c_str(), value, unit.c_str(), target.c_str());
        }
        first = false;
        std::fflush(stdout);
    }
    ~Report() {
        if (json) std::printf("\n]\n");
    }
};

double percentile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

os::Task<void> fill(World& world, std::size_t from, std::size_t to, const Shared<std::string>& spec) {
    for (std::size_t i = from; i < to; ++i) {
        const Written made = world.store->create(pod_key(i), make_pod(i, spec)).value();
        if (i % 4096 == 4095) co_await world.store->durable(made.revision);
    }
    co_await world.store->durable(world.store->revision());
}

struct Load {
    Clock::time_point until;
    std::size_t pods;
    std::size_t writers;
    std::size_t round = next_round();  // so that no update says what one before it said
    std::size_t updates = 0;
    std::vector<double> latencies{};

    static std::size_t next_round() {
        static std::size_t rounds = 0;
        return ++rounds * 10'000'000;
    }
};

// A status update as a node agent makes it: copy, change a few fields, write, wait for the disk.
os::Task<void> update_statuses(World& world, Load& load, std::size_t writer) {
    std::size_t round = load.round;
    for (std::size_t i = writer; Clock::now() < load.until; i = (i + load.writers) % load.pods, ++round) {
        const std::string key = pod_key(i);
        const auto stored = world.store->get(key);
        auto pod = std::make_shared<Pod>(static_cast<const Pod&>(*stored->object));
        pod->status[3] = Text("2024-05-06T07:08:" + std::to_string(round));
        const auto begun = Clock::now();
        const Written written = world.store->update(key, std::move(pod)).value();
        co_await world.store->durable(written.revision);
        ++load.updates;
        if (writer % 64 == 0)
            load.latencies.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begun).count());
    }
}

os::Task<void> run_writers(World& world, Load& load) {
    std::size_t ended = 0;
    os::Event done(world.loop);
    auto one = [](World& in, Load& of, std::size_t number, std::size_t& count, os::Event& event) -> os::Task<void> {
        co_await update_statuses(in, of, number);
        ++count;
        event.notify();
    };
    for (std::size_t i = 0; i < load.writers; ++i) os::spawn(world.loop, one(world, load, i, ended, done));
    while (ended < load.writers) co_await done.wait();
}

void bench_durable(Report& report, const std::string& directory, double seconds) {
    World world(directory);
    const auto spec = make_spec();
    world.loop.run(fill(world, 0, 100'000, spec));
    for (const std::size_t writers : {16, 256, 4096}) {
        Load load{Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)),
                  100'000, writers};
        const Usage usage;
        world.loop.run(run_writers(world, load));
        const double per_second = static_cast<double>(load.updates) / usage.seconds();
        const std::string name = "durable updates, " + std::to_string(writers) + " writers";
        report.add(name, per_second, "1/s", writers == 4096 ? ">= 200000" : "");
        report.add(name + ", CPU each", 1e6 * usage.cpu_seconds() / static_cast<double>(load.updates), "us");
        report.add(name + ", p50", percentile(load.latencies, 0.50), "us");
        report.add(name + ", p99", percentile(load.latencies, 0.99), "us");
    }
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    report.add("resident at most, 100000 pods and their history", static_cast<double>(use.ru_maxrss) / 1024, "MB");
}

// Appends to a growing file and syncs it: the least that a log can do.
class BareLog {
public:
    explicit BareLog(const std::string& path) : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {}
    ~BareLog() { ::close(file_); }
    double append(std::size_t bytes) {
        const std::string content(bytes, 'x');
        const auto begun = Clock::now();
        CHECK(::write(file_, content.data(), content.size()) == static_cast<ssize_t>(bytes));
        CHECK(::fdatasync(file_) == 0);
        return std::chrono::duration<double, std::micro>(Clock::now() - begun).count();
    }

private:
    int file_;
};

void bench_latency(Report& report, const std::string& directory) {
    World world(directory);
    BareLog bare(directory + "/bare");
    const auto spec = make_spec();
    world.loop.run(fill(world, 0, 1000, spec));
    std::vector<double> ours;
    std::vector<double> bares;
    // By turns, so that what else the machine does falls on both alike.
    for (int round = 0; round < 500; ++round) {
        for (int i = 0; i < 4; ++i) bares.push_back(bare.append(600));
        Load load{Clock::now() + 1ms, 1000, 1};
        world.loop.run(update_statuses(world, load, 0));
        ours.insert(ours.end(), load.latencies.begin(), load.latencies.end());
    }
    const double bare_p50 = percentile(bares, 0.5);
    report.add("append 600 bytes + fdatasync, p50", bare_p50, "us");
    report.add("one writer's durable update, p50", percentile(ours, 0.5), "us");
    report.add("one writer's durable update, p99", percentile(ours, 0.99), "us");
    report.add("one writer's durable update / bare append, p50", percentile(ours, 0.5) / bare_p50, "x", "<= 1.5");
}

void bench_open(Report& report, const std::string& directory, std::size_t pods, const char* target) {
    {
        World world(directory, {.history_bytes_max = 1u << 20});
        world.loop.run(fill(world, 0, pods, make_spec()));
    }
    const Usage usage;
    {
        World world(directory);
        const double seconds = usage.seconds();
        CHECK(world.store->stats().objects == pods);
        report.add("open " + std::to_string(pods) + " objects", seconds, "s", target);
    }
}

os::Task<void> follow(Watch& watch, std::size_t& seen) {
    for (;;) {
        const auto next = watch.next();
        if (!next.ok()) co_return;
        if (*next) {
            ++seen;
        } else {
            co_await watch.ready();
        }
    }
}

void bench_watch(Report& report, const std::string& directory, double seconds) {
    World world(directory);
    world.loop.run(fill(world, 0, 100'000, make_spec()));
    std::size_t seen = 0;
    std::vector<std::unique_ptr<Watch>> watches;
    std::vector<double> cost;        // of an update without watches
    std::vector<double> on_loop[2];  // that part of it, without watches and with
    os::TaskScope followers(world.loop);
    // By turns, as above.
    constexpr int kRounds = 24;
    for (int round = 0; round < kRounds; ++round) {
        const bool watched = round % 4 == 1 || round % 4 == 2;
        if (watched) {
            for (int i = 0; i < 100; ++i) {
                watches.push_back(world.store
                                      ->watch("//pods/", world.store->revision(),
                                              i % 2 == 0 ? Visibility::kAtOnce : Visibility::kDurable)
                                      .value());
                followers.spawn(follow(*watches.back(), seen));
            }
        }
        const std::chrono::duration<double> turn(2 * seconds / kRounds);
        Load load{Clock::now() + std::chrono::duration_cast<Clock::duration>(turn), 100'000, 4096};
        const Usage usage;
        world.loop.run(run_writers(world, load));
        const auto updates = static_cast<double>(load.updates);
        if (!watched) cost.push_back(1e6 * usage.cpu_seconds() / updates);
        on_loop[watched].push_back(1e6 * usage.thread_cpu_seconds() / updates);
        followers.cancel();
        watches.clear();
    }
    // Watches run on the loop and nowhere else. Neighbours in time are compared, as the machine is not the same from
    // one second to the next.
    std::vector<double> added;
    for (std::size_t i = 0; i < cost.size(); ++i) added.push_back(on_loop[1][i] - on_loop[0][i]);
    const double each = percentile(cost, 0.5);
    report.add("CPU of a durable update", each, "us");
    report.add("of that on the loop", percentile(on_loop[0], 0.5), "us");
    report.add("what 100 watches add to it", percentile(added, 0.5), "us");
    report.add("what 100 watches add", 100 * percentile(added, 0.5) / each, "%", "<= 20");
    report.add("events seen by 100 watches", static_cast<double>(seen), "");
}

void bench_memory(Report& report) {
    constexpr std::size_t kPods = 100'000;
    const auto spec = make_spec();
    const auto used = [] { return static_cast<double>(os::allocated_bytes()); };
    double alone = 0;
    {
        std::vector<std::shared_ptr<Pod>> pods(kPods);
        const double before = used();
        for (std::size_t i = 0; i < kPods; ++i) pods[i] = make_pod(i, spec);
        alone = (used() - before) / kPods;
    }
    World world("", {.history_bytes_max = 1u << 20});
    world.loop.run(fill(world, 0, 1000, spec));
    const double before = used();
    world.loop.run(fill(world, 1000, 1000 + kPods, spec));
    const double stored = (used() - before) / kPods;
    report.add("memory of a pod by itself", alone, "bytes");
    report.add("memory the store adds to each", stored - alone, "bytes");
}

int run(int argc, char** argv) {
    Report report;
    std::string base = "/tmp/muster-store-bench";
    std::string only = "memory,latency,durable,watch,open";
    double seconds = 5;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg == "--json") report.json = true;
        if (arg == "--directory" && i + 1 < argc) base = argv[++i];
        if (arg == "--only" && i + 1 < argc) only = argv[++i];
        if (arg == "--seconds" && i + 1 < argc) seconds = std::stod(argv[++i]);
    }
    const auto wanted = [&](const char* name) {
        fs::remove_all(base);
        return only.find(name) != std::string::npos;
    };
    if (wanted("memory")) bench_memory(report);
    if (wanted("latency")) bench_latency(report, base);
    if (wanted("durable")) bench_durable(report, base, seconds);
    if (wanted("watch")) bench_watch(report, base, seconds);
    if (wanted("open")) bench_open(report, base, 100'000, "<= 1");
    if (wanted("open")) bench_open(report, base, 1'000'000, "<= 8");
    fs::remove_all(base);
    return 0;
}

}  // namespace
}  // namespace muster::store

int main(int argc, char** argv) { return muster::store::run(argc, argv); }
