// Measures how the load of other clients affects a light client. Such load also keeps the processors busy, and a
// virtual machine may then lose its processors for milliseconds at a time. So there are two values without load: of an
// idle machine, and of a machine whose processors are kept busy by work of the lowest priority.
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/http_load.h"
#include "bench/muster_process.h"
#include "bench/served.h"
#include "os/http/server/short_turns.h"

namespace muster::bench {

constexpr const char* kTokens = "light-token,light,1,system:masters\nheavy-token,heavy,2,system:masters\n";
constexpr const char* kLight = "Authorization: Bearer light-token\r\n";
constexpr const char* kHeavy = "Authorization: Bearer heavy-token\r\n";

// One GET every 5 ms. A request that could not be sent in time, because the one before had no answer yet, counts from
// when it should have been sent.
class LightClient {
public:
    LightClient(const MusterProcess& muster, const std::string& path)
        : talk_(loop_, muster.address(), muster.client_context(false),
                [this](Talk&, const Talk::Answer& answer) { on_answer(answer); }),
          request_(format_request("GET", path, {}, kLight)) {}

    // Times in milliseconds.
    Spread spread_over(double seconds) {
        // As far as we may: a light client elsewhere does not wait for a processor of this machine.
        ::setpriority(PRIO_PROCESS, 0, -10);
        os::ask_for_short_turns();
        times_.clear();
        end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        due_ = Clock::now();
        ask();
        loop_.run();
        ::setpriority(PRIO_PROCESS, 0, 0);
        return spread_of(times_);
    }

private:
    static constexpr Duration kPeriod = std::chrono::milliseconds(5);

    void ask() { talk_.ask(request_); }
    void on_answer(const Talk::Answer& answer) {
        CHECK(answer.status == 200, std::to_string(answer.status));
        const auto now = Clock::now();
        times_.push_back(std::chrono::duration<double, std::milli>(now - (late_ ? due_ : answer.asked)).count());
        if (now >= end_) return loop_.stop();
        due_ += kPeriod;
        late_ = due_ <= now;
        if (late_) return ask();
        loop_.after(std::chrono::duration_cast<Duration>(due_ - now), [this] { ask(); });
    }

    os::RealLoop loop_;
    Talk talk_;
    const std::string request_;
    std::vector<double> times_;
    Clock::time_point due_{};
    Clock::time_point end_{};
    bool late_ = false;
};

// Keeps every processor busy with processes of the lowest priority, which any thread that wakes preempts.
class BusyMachine {
public:
    BusyMachine() {
        for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
            spinning_.push_back(std::make_unique<Served>([](int to) {
                const sched_param none{};
                CHECK(::sched_setscheduler(0, SCHED_IDLE, &none) == 0);
                tell(to, "spinning\n");
                for (volatile bool on = true; on;) {
                }
            }));
        for (const auto& each : spinning_) each->line();
    }

private:
    std::vector<std::unique_ptr<Served>> spinning_;
};

// The median of several rounds, for each figure: other work that takes the machine for 20 ms spoils that round's p99,
// and not the result.
constexpr int kRounds = 7;
inline Spread median_of(const std::vector<Spread>& rounds) {
    Spread result;
    for (double Spread::*const figure : {&Spread::p50, &Spread::p99, &Spread::worst}) {
        std::vector<double> values;
        for (const Spread& round : rounds) values.push_back(round.*figure);
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        result.*figure = values[values.size() / 2];
    }
    return result;
}

class Beside {
public:
    void measure_quiet(LightClient& light, double seconds) {
        quiet_.push_back(light.spread_over(seconds));
        const BusyMachine busy;
        busy_.push_back(light.spread_over(seconds));
    }
    void measure(LightClient& light, double seconds) { meanwhile_.push_back(light.spread_over(seconds)); }

    void print(const char* what, const std::string& note) const {
        const Spread quiet = median_of(quiet_);
        const Spread busy = median_of(busy_);
        const Spread meanwhile = median_of(meanwhile_);
        std::printf("  beside %s: p50 %.2f, p99 %.2f ms over %zu rounds  %s\n", what, meanwhile.p50, meanwhile.p99,
                    meanwhile_.size(), note.c_str());
        print_ratio("the machine idle", quiet, meanwhile);
        print_ratio("its processors busy", busy, meanwhile);
    }

private:
    static void print_ratio(const char* name, const Spread& quiet, const Spread& meanwhile) {
        std::printf("    quiet, %-20s p50 %.2f, p99 %.2f ms: x %.1f\n", name, quiet.p50, quiet.p99,
                    meanwhile.p99 / quiet.p99);
    }

    std::vector<Spread> quiet_, busy_, meanwhile_;
};

}  // namespace muster::bench
