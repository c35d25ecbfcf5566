// The figures that users notice, each beside a reference that is taken in the same run: `make bench` prints them as one
// table and writes bench/results.json. The shipped binary is measured from outside, at settings that a user would
// choose: sync on, TLS on. Of each figure the best of several rounds counts.
//     scoreboard [--rounds N] [--output FILE] [--muster BINARY] [ROW…]
// A row whose reference is not installed says so and has none.
#include <boost/json.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/api_session.h"
#include "bench/bare.h"
#include "bench/nginx.h"
#include "bench/requests.h"
#include "bench/run_program.h"

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kClients = 64;
constexpr double kMegabyte = 1e6;

// What one round of a row gave.
struct Figure {
    double value = 0;
    std::optional<double> reference{};
};

struct Row {
    const char* name;
    const char* unit;
    bool more_is_better;
    const char* reference;         // what the reference is; empty: there is none
    double target = NAN;           // of the value
    double target_ratio = NAN;     // to the reference, where more is better
    std::vector<Figure> rounds{};  //

    bool is_better(double a, double b) const { return more_is_better ? a > b : a < b; }
    // The best value, and the best reference, of all rounds.
    Figure best() const {
        Figure best = rounds.front();
        for (const Figure& each : rounds) {
            if (is_better(each.value, best.value)) best.value = each.value;
            if (each.reference && (!best.reference || is_better(*each.reference, *best.reference)))
                best.reference = each.reference;
        }
        return best;
    }
    // How many times as good as the reference.
    static double ratio(const Figure& figure, bool more_is_better) {
        return more_is_better ? figure.value / *figure.reference : *figure.reference / figure.value;
    }
    bool pass() const {
        const Figure figure = best();
        if (!std::isnan(target) && is_better(target, figure.value)) return false;
        return std::isnan(target_ratio) || (figure.reference && ratio(figure, more_is_better) >= target_ratio);
    }
    std::string verdict() const {
        if (pass()) return "pass";
        return best().reference || std::isnan(target_ratio) ? "MISSED" : std::string(reference) + " is not installed";
    }
};

struct Setting {
    int rounds = 3;
    std::string output{};
    std::string muster = std::filesystem::read_symlink("/proc/self/exe").parent_path().string() + "/muster";
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

struct SimulatedJob {
    double seconds;
    double megabytes;
};
SimulatedJob run_simulated_job(const Setting& setting) {
    constexpr int kCompletions = 100'000;
    constexpr int kParallelism = 10'000;
    const Folder folder("scoreboard");
    const std::string data = folder.path() + "/data";
    MusterProcess muster(setting.muster, data, {}, "simulated=10");
    ApiSession session(data);
    const auto start = Clock::now();
    session.create_job("large", kCompletions, kParallelism, simulated_pod());
    session.wait_complete("large");
    const SimulatedJob job{seconds_since(start), static_cast<double>(resident_bytes(muster.pid())) / kMegabyte};
    muster.stop();
    return job;
}

Figure time_run(const Setting& setting, int parallelism) {
    constexpr const char* kTasks = "10000";
    const Folder folder("scoreboard");
    const std::string slots = std::to_string(parallelism);
    Figure figure;
    figure.value = seconds_of({setting.muster, "run", "--data-dir", folder.path() + "/data", "--completions", kTasks,
                               "--parallelism", slots, "--", "true"});
    figure.reference = seconds_of({"sh", "-c", std::string("seq ") + kTasks + " | xargs -n1 -P" + slots + " true"});
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

Figure time_small_jobs(const Setting& setting) {
    constexpr std::size_t kCount = 50'000;
    const Folder folder("scoreboard");
    const MusterProcess muster(setting.muster, folder.path() + "/data", {}, "simulated=500");
    std::size_t number = 0;
    std::string request;
    const auto start = Clock::now();
    // A client whose turn comes when all are made asks for something else.
    Load(muster.address(), muster.client_context(true), kClients, [&]() -> std::string_view {
        request = number < kCount ? format_request("POST", kJobs,
                                                   R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-)" +
                                                       std::to_string(number) + R"("},"spec":{"template":)" +
                                                       simulated_pod() + "}}")
                                  : format_request("GET", "/version");
        ++number;
        return request;
    }).run(600, muster.pid(), kCount);
    const std::string unfinished = kJobs + "?limit=1&fieldSelector=status.successful%3D0";
    while (!is_empty(muster, unfinished)) std::this_thread::sleep_for(20ms);
    return {seconds_since(start), {}};
}

// The table ---------------------------------------------------------------------------------------------------------

std::string format_figure(std::optional<double> value) {
    if (!value) return "-";
    char text[40];
    std::snprintf(text, sizeof(text), *value < 100 ? "%.2f" : "%.0f", *value);
    return text;
}

std::string format_target(const Row& row) {
    std::string text;
    if (!std::isnan(row.target)) text = (row.more_is_better ? ">= " : "<= ") + format_figure(row.target);
    if (!std::isnan(row.target_ratio))
        text += (text.empty() ? "" : ", ") + ("ratio " + format_figure(row.target_ratio));
    return text;
}

void print_row(const Row& row) {
    const Figure best = row.best();
    const std::string ratio = best.reference ? format_figure(Row::ratio(best, row.more_is_better)) : "-";
    std::printf("%-34s %9s %-6s %9s %-22s %6s  %-22s %s\n", row.name, format_figure(best.value).c_str(), row.unit,
                format_figure(best.reference).c_str(), row.reference, ratio.c_str(), format_target(row).c_str(),
                row.verdict().c_str());
    std::fflush(stdout);
}

boost::json::value row_json(const Row& row) {
    const auto number = [](std::optional<double> value) {
        return value && !std::isnan(*value) ? boost::json::value(*value) : boost::json::value();
    };
    const Figure best = row.best();
    boost::json::object out;
    out["name"] = row.name;
    out["value"] = best.value;
    out["unit"] = row.unit;
    out["reference"] = {{"name", row.reference}, {"value", number(best.reference)}};
    out["ratio"] = best.reference ? boost::json::value(Row::ratio(best, row.more_is_better)) : boost::json::value();
    out["target"] = {{"value", number(row.target)}, {"ratio", number(row.target_ratio)}};
    out["pass"] = row.pass();
    return out;
}

void write_results(const std::string& path, const std::vector<Row>& rows) {
    boost::json::array all;
    for (const Row& row : rows) all.push_back(row_json(row));
    std::ofstream file(path);
    file << "[\n";
    for (std::size_t i = 0; i < all.size(); ++i)
        file << "  " << boost::json::serialize(all[i]) << (i + 1 < all.size() ? ",\n" : "\n");
    file << "]\n";
    CHECK(file.good(), "cannot write " + path);
}

class Board {
public:
    explicit Board(const Setting& setting) : setting_(setting) {
        std::printf("%-34s %9s %-6s %9s %-22s %6s  %-22s\n", "", "value", "", "reference", "", "ratio", "target");
    }
    void take(std::vector<Row> rows, const std::function<std::vector<Figure>()>& round) {
        const auto wanted = [&](const Row& row) {
            return std::find(setting_.only.begin(), setting_.only.end(), row.name) != setting_.only.end();
        };
        if (!setting_.only.empty() && std::none_of(rows.begin(), rows.end(), wanted)) return;
        for (int i = 0; i < setting_.rounds; ++i) {
            const std::vector<Figure> figures = round();
            for (std::size_t each = 0; each < rows.size(); ++each) rows[each].rounds.push_back(figures[each]);
        }
        for (Row& row : rows) {
            print_row(row);
            rows_.push_back(std::move(row));
        }
    }
    const std::vector<Row>& rows() const { return rows_; }

private:
    const Setting& setting_;
    std::vector<Row> rows_;
};

void run(const Setting& setting) {
    Board board(setting);
    board.take({{"start-ready", "ms", false, "/bin/true", 20}}, [&] { return std::vector{time_ready(setting)}; });
    board.take({{"https-creates", "/s", true, "write and fdatasync", 25'000}},
               [&] { return std::vector{rate_creates(setting)}; });
    board.take({{"https-gets", "/s", true, "nginx", NAN, 0.8}}, [&] { return std::vector{rate_gets(setting)}; });
    board.take({{"pods-true-parallelism-1000", "/s", true, "vfork, exec, wait", NAN, 0.75}},
               [&] { return std::vector{rate_pods(setting)}; });
    board.take({{"run-10000-true-parallelism-2", "s", false, "xargs -P2", NAN, 0.6}},
               [&] { return std::vector{time_run(setting, 2)}; });
    board.take({{"run-10000-true-parallelism-8", "s", false, "xargs -P8", NAN, 1.0}},
               [&] { return std::vector{time_run(setting, 8)}; });
    board.take({{"indexed-job-100000-simulated", "s", false, "", 5}, {"memory-after-that-job", "MB", false, "", 200}},
               [&] {
                   const SimulatedJob job = run_simulated_job(setting);
                   return std::vector{Figure{job.seconds, {}}, Figure{job.megabytes, {}}};
               });
    board.take({{"one-pod-jobs-50000-simulated", "s", false, "", 8}},
               [&] { return std::vector{time_small_jobs(setting)}; });
    if (!setting.output.empty()) write_results(setting.output, board.rows());
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
    run(setting);
}
