// What `muster run` tells while it runs: to people a line that lives, or plain lines where it cannot; to programs one
// JSON object a line. What pods write goes to standard output and error, everything of our own to error.
// Everything is called on the loop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "cli/run/progress.h"
#include "cli/text/terminal.h"

namespace muster::cli {

struct ReportStyle {
    bool json = false;
    bool quiet = false;                 // nothing but what pods write, and what went wrong
    bool live = false;                  // `err` is a terminal
    bool plain = false;                 // one pod, like a command that was typed: only its output, unless it fails
    std::function<int()> width{};       // of the terminal, asked each time: it may change
    std::function<Duration()> clock{};  // never jumps
};

struct PodFailure {
    std::string job{};
    std::string pod{};
    std::optional<int> index{};
    std::string reason{};  // "exit code 3", "StartError: exec: …"
    int exit_code = -1;    // -1 when no container ended
    std::string log_tail{};
    std::string log_path{};
};

struct JobEnd {
    std::string job{};
    bool complete = false;
    std::string reason{};  // BackoffLimitExceeded …
    std::string message{};
    std::int64_t done = 0;
    std::optional<std::int64_t> total{};
    std::int64_t pods_failed = 0;
    std::string failed_indexes{};
    Duration took{0};
};

enum class Stream { kOut, kErr };

class Report {
public:
    Report(ReportStyle style, Terminal terminal) : style_(std::move(style)), terminal_(terminal) {}
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;
    ~Report() { clear_line(); }

    void started(const std::string& job, bool resumed, std::int64_t done, std::optional<std::int64_t> total);
    // May be called at any rate: it draws at most ten times a second, and writes plain lines every ten seconds, or
    // every minute while nothing changes.
    void progress(const Progress& progress);
    void failed(const PodFailure& failure);
    // Something that a person should know: why nothing happens, what an interrupt does.
    void note(const std::string& text);
    void problem(const std::string& text);
    // What a pod wrote; a piece, or whole lines when `prefix` is given.
    void output(Stream stream, const std::string& job, std::optional<int> index, std::string_view text);
    void ended(const JobEnd& end);

private:
    void line(const std::string& text);
    void clear_line();
    void draw();
    void json_line(const std::string& members);

    const ReportStyle style_;
    Terminal terminal_;
    Progress last_{};
    std::string drawn_{};
    std::optional<Duration> drawn_at_{};
    std::string plain_{};
    Duration plain_at_{0};
    int failures_told_ = 0;
};

}  // namespace muster::cli
