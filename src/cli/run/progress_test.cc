#include "cli/run/progress.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/run/pod_facts.h"
#include "cli/run/report.h"
#include "cli/text/align.h"

namespace muster::cli {
namespace run_progress_test {

Progress some_progress() {
    Progress progress;
    progress.name = "primes";
    progress.total = 100;
    progress.done = 40;
    progress.running = 8;
    progress.failed = 2;
    progress.rate = 12;
    return progress;
}

TEST(Progress, SaysEverythingWhereThereIsRoom) {
    EXPECT_EQ(format_progress(some_progress(), 120),
              "primes  ▕████████████░░░░░░░░░░░░░░░░░░▏  40/100 done, 8 running, 2 failed, 12/s, 5s left");
    EXPECT_EQ(format_progress(some_progress(), 60), "primes  40/100 done, 8 running, 2 failed, 12/s, 5s left");
    EXPECT_EQ(format_progress(some_progress(), 46), "primes  40/100 done, 8 running, 2 failed, 12/s");
    EXPECT_EQ(format_progress(some_progress(), 30), "primes  40/100 done, 8 running");
    EXPECT_EQ(format_progress(some_progress(), 15), "40/100 done");
    EXPECT_EQ(format_progress(some_progress(), 5), "40/10");
}

TEST(Progress, NeverIsLongerThanItsTerminal) {
    for (int width = 1; width < 200; ++width)
        EXPECT_LE(text_width(format_progress(some_progress(), width)), static_cast<std::size_t>(width));
}

TEST(Progress, OfAWorkQueueThereIsNoTotal) {
    Progress progress = some_progress();
    progress.total.reset();
    EXPECT_EQ(format_progress(progress, 100), "primes  40 done, 8 running, 2 failed, 12/s");
}

TEST(Progress, SpansArePrintedAsPeopleSayThem) {
    EXPECT_EQ(format_span(85ms), "85ms");
    EXPECT_EQ(format_span(1500ms), "1.5s");
    EXPECT_EQ(format_span(5s), "5s");
    EXPECT_EQ(format_span(130s), "2m10s");
    EXPECT_EQ(format_span(3h + 5min), "3h05m");
    EXPECT_EQ(format_span(102h), "4d06h");
}

TEST(Pace, IsThatOfTheLastSeconds) {
    Pace pace;
    pace.add(0s, 0);
    EXPECT_EQ(pace.rate(), 0);
    pace.add(1s, 100);
    EXPECT_EQ(pace.rate(), 100);
    for (int second = 2; second <= 60; ++second) pace.add(std::chrono::seconds(second), 100 + second);
    EXPECT_NEAR(pace.rate(), 1, 0.1);
}

struct Told {
    std::ostringstream out;
    std::ostringstream err;
    Duration now{0};
    ReportStyle style() {
        ReportStyle style;
        style.width = [] { return 80; };
        style.clock = [this] { return now; };
        return style;
    }
};

TEST(Report, DrawsALiveLineAtMostTenTimesASecond) {
    Told told;
    ReportStyle style = told.style();
    style.live = true;
    {
        Report report(style, {told.out, told.err});
        for (int ms = 0; ms < 1000; ms += 10) {
            told.now = std::chrono::milliseconds(ms);
            Progress progress = some_progress();
            progress.done = ms;
            report.progress(progress);
        }
    }
    std::size_t draws = 0;
    for (const char c : told.err.str()) draws += c == '\r' ? 1 : 0;
    EXPECT_LE(draws, 11u);
    EXPECT_GE(draws, 10u);
    EXPECT_TRUE(told.err.str().ends_with("\r\033[K")) << "the line is gone at the end";
    EXPECT_EQ(told.out.str(), "");
}

TEST(Report, WritesPlainLinesWhereThereIsNoTerminal) {
    Told told;
    Report report(told.style(), {told.out, told.err});
    Progress progress = some_progress();
    const auto lines = [&] {
        const std::string text = told.err.str();
        return std::count(text.begin(), text.end(), '\n');
    };
    for (int second = 0; second <= 20; ++second) {
        told.now = std::chrono::seconds(second);
        ++progress.done;
        report.progress(progress);
    }
    EXPECT_EQ(told.err.str(),
              "primes  51/100 done, 8 running, 2 failed, 12/s, 5s left\n"
              "primes  61/100 done, 8 running, 2 failed, 12/s, 4s left\n");
    for (int second = 21; second <= 140; ++second) {
        told.now = std::chrono::seconds(second);
        report.progress(progress);
    }
    EXPECT_EQ(lines(), 4) << "what does not change is told once a minute";
}

TEST(Report, NamesFailuresWithTheirLastLines) {
    Told told;
    Report report(told.style(), {told.out, told.err});
    PodFailure failure;
    failure.job = "sweep";
    failure.pod = "sweep-3-abcde";
    failure.index = 3;
    failure.reason = "exit code 2";
    failure.log_tail = "loading\nno such file\n";
    failure.log_path = "d/0.log";
    report.failed(failure);
    EXPECT_EQ(told.err.str(),
              "sweep: index 3 (pod sweep-3-abcde) failed: exit code 2\n    loading\n    no such file\n    (d/0.log)\n");
}

TEST(Report, TellsProgramsOneObjectALine) {
    Told told;
    ReportStyle style = told.style();
    style.json = true;
    Report report(style, {told.out, told.err});
    report.started("sweep", true, 3, 10);
    report.output(Stream::kErr, "sweep", 3, "a \"b\"\n");
    JobEnd end;
    end.job = "sweep";
    end.complete = true;
    end.done = 10;
    end.total = 10;
    end.took = 1500ms;
    report.ended(end);
    EXPECT_EQ(
        told.out.str(),
        "{\"type\":\"started\",\"job\":\"sweep\",\"resumed\":true,\"done\":3,\"total\":10}\n"
        "{\"type\":\"output\",\"job\":\"sweep\",\"index\":3,\"stream\":\"stderr\",\"text\":\"a \\\"b\\\"\\n\"}\n"
        "{\"type\":\"ended\",\"job\":\"sweep\",\"outcome\":\"complete\",\"done\":10,\"total\":10,\"podsFailed\":0,"
        "\"failedIndexes\":\"\",\"reason\":\"\",\"message\":\"\",\"seconds\":1.5}\n");
    EXPECT_EQ(told.err.str(), "");
}

TEST(Report, IsSilentAboutWhatGoesWellWhenItShall) {
    Told told;
    ReportStyle style = told.style();
    style.quiet = true;
    Report report(style, {told.out, told.err});
    told.now = 1h;
    report.progress(some_progress());
    report.note("something");
    JobEnd end;
    end.complete = true;
    report.ended(end);
    EXPECT_EQ(told.out.str() + told.err.str(), "");
    end.complete = false;
    report.ended(end);
    EXPECT_NE(told.err.str(), "");
}

api::core::Pod failed_pod(int exit_code, const char* reason, const char* message) {
    api::core::Pod pod;
    pod.metadata.name = "p";
    pod.spec.containers.edit().push_back({});
    pod.spec.containers.edit()[0].name = "c";
    pod.status.phase = "Failed";
    api::core::ContainerStatus status;
    status.name = "c";
    status.state.terminated.edit().exit_code = exit_code;
    status.state.terminated.edit().reason = reason;
    status.state.terminated.edit().message = message;
    pod.status.container_statuses.edit().push_back(status);
    return pod;
}

TEST(PodFacts, SayHowAPodFailed) {
    EXPECT_EQ(describe_failure(failed_pod(3, "Error", ""), "j").reason, "exit code 3");
    EXPECT_EQ(describe_failure(failed_pod(137, "OOMKilled", ""), "j").reason, "OOMKilled, exit code 137");
    EXPECT_EQ(describe_failure(failed_pod(128, "StartError", "exec: \"x\": not found"), "j").reason,
              "StartError: exec: \"x\": not found");
    api::core::Pod evicted = failed_pod(137, "Error", "");
    evicted.status.reason = "DeadlineExceeded";
    EXPECT_EQ(describe_failure(evicted, "j").reason, "DeadlineExceeded");
}

TEST(PodFacts, SayWhyAPodWaitsOnlyWhenAUserMayHaveToAct) {
    api::core::Pod pod;
    pod.status.phase = "Pending";
    EXPECT_FALSE(describe_obstacle(pod));
    api::core::ContainerStatus status;
    status.state.waiting.edit().reason = "ContainerCreating";
    pod.status.container_statuses.edit().push_back(status);
    EXPECT_FALSE(describe_obstacle(pod));
    pod.status.container_statuses.edit()[0].state.waiting.edit().reason = "CreateContainerConfigError";
    pod.status.container_statuses.edit()[0].state.waiting.edit().message = "secret \"s\" not found";
    EXPECT_EQ(describe_obstacle(pod), "CreateContainerConfigError: secret \"s\" not found");
}

}  // namespace run_progress_test
}  // namespace muster::cli
