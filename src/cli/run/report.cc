#include "cli/run/report.h"

#include <ostream>

#include "api/text/json_text.h"
#include "api/text/utf8.h"

namespace muster::cli {
namespace {

constexpr Duration kRedraw = 100ms;
constexpr Duration kPlain = 10s;
constexpr Duration kPlainSame = 60s;
constexpr Duration kJson = 1s;
constexpr int kTailsMax = 10;  // failures told with their last lines; more only by name

// Members of a JSON object, put together in the order of calls.
class Members {
public:
    explicit Members(const char* type) { text("type", type); }
    Members& text(const char* name, std::string_view value) {
        key(name);
        api::append_json_string(api::repair_utf8(value), out_);
        return *this;
    }
    Members& number(const char* name, std::int64_t value) {
        key(name);
        api::append_json_number(value, out_);
        return *this;
    }
    Members& number(const char* name, double value) {
        key(name);
        api::append_json_number(value, out_);
        return *this;
    }
    Members& boolean(const char* name, bool value) {
        key(name);
        out_ += value ? "true" : "false";
        return *this;
    }
    const std::string& str() const { return out_; }

private:
    void key(const char* name) {
        if (!out_.empty()) out_ += ',';
        api::append_json_string(name, out_);
        out_ += ':';
    }
    std::string out_;
};

double seconds_of(Duration span) {
    return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) / 1000;
}

std::string who(const PodFailure& failure) {
    if (failure.index) return "index " + std::to_string(*failure.index) + " (pod " + failure.pod + ')';
    return "pod " + failure.pod;
}

std::string indented(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.append("\n    ").append(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string end_text(const JobEnd& end) {
    const std::string count = std::to_string(end.done) + (end.total ? '/' + std::to_string(*end.total) : "") + " done";
    std::string text =
        end.job + (end.complete ? ": complete, " : ": failed, ") + count + " in " + format_span(end.took);
    if (end.pods_failed > 0)
        text += ", " + std::to_string(end.pods_failed) + (end.pods_failed == 1 ? " pod failed" : " pods failed");
    if (!end.failed_indexes.empty()) text += ", failed indexes: " + end.failed_indexes;
    if (!end.complete && !end.reason.empty()) text += "\n    " + end.reason + ": " + end.message;
    return text;
}

}  // namespace

void Report::json_line(const std::string& members) {
    terminal_.out << '{' << members << "}\n";
    terminal_.out.flush();
}

void Report::clear_line() {
    if (drawn_.empty()) return;
    terminal_.err << "\r\033[K";
    terminal_.err.flush();
    drawn_.clear();
}

void Report::line(const std::string& text) {
    const bool redraw = !drawn_.empty();
    clear_line();
    terminal_.err << text << '\n';
    terminal_.err.flush();
    if (redraw) draw();
}

void Report::draw() {
    // One column stays free: some terminals go to the next line when the last one is written.
    std::string text = format_progress(last_, style_.width() - 1);
    if (text == drawn_) return;
    terminal_.err << '\r' << text << "\033[K";
    terminal_.err.flush();
    drawn_ = std::move(text);
}

void Report::started(const std::string& job, bool resumed, std::int64_t done, std::optional<std::int64_t> total) {
    if (style_.json) {
        Members members("started");
        members.text("job", job).boolean("resumed", resumed).number("done", done);
        if (total) members.number("total", *total);
        return json_line(members.str());
    }
    if (style_.quiet || !resumed) return;
    line(job + ": carries on" +
         (total && done > 0 ? ", " + std::to_string(done) + " of " + std::to_string(*total) + " are done" : ""));
}

void Report::progress(const Progress& progress) {
    last_ = progress;
    if (style_.quiet && !style_.json) return;
    if (style_.plain && !style_.json) return;
    const Duration now = style_.clock();
    if (!drawn_at_) drawn_at_ = style_.live && !style_.json ? now - kRedraw : now;
    const Duration period = style_.json ? kJson : style_.live ? kRedraw : kPlain;
    if (now - *drawn_at_ < period) return;
    drawn_at_ = now;
    if (style_.json) {
        Members members("progress");
        members.number("done", progress.done).number("running", progress.running).number("failed", progress.failed);
        if (progress.total) members.number("total", *progress.total);
        members.number("rate", progress.rate);
        json_line(members.str());
    } else if (style_.live) {
        draw();
    } else if (std::string text = format_progress(progress); text != plain_ || now - plain_at_ >= kPlainSame) {
        line(text);
        plain_ = std::move(text);
        plain_at_ = now;
    }
}

void Report::failed(const PodFailure& failure) {
    if (style_.json) {
        Members members("failed");
        members.text("job", failure.job).text("pod", failure.pod);
        if (failure.index) members.number("index", static_cast<std::int64_t>(*failure.index));
        members.text("reason", failure.reason);
        if (failure.exit_code >= 0) members.number("exitCode", static_cast<std::int64_t>(failure.exit_code));
        members.text("logPath", failure.log_path).text("logTail", failure.log_tail);
        return json_line(members.str());
    }
    std::string text = failure.job + ": " + who(failure) + " failed: " + failure.reason;
    const bool with_tail = !style_.plain && !failure.log_tail.empty() && failures_told_ < kTailsMax;
    if (with_tail) text += indented(failure.log_tail) + "\n    (" + failure.log_path + ')';
    ++failures_told_;
    line(text);
}

void Report::note(const std::string& text) {
    if (style_.json) return json_line(Members("note").text("message", text).str());
    if (!style_.quiet) line(text);
}

void Report::problem(const std::string& text) {
    if (style_.json) return json_line(Members("error").text("message", text).str());
    line("muster: " + text);
}

void Report::output(Stream stream, const std::string& job, std::optional<int> index, std::string_view text) {
    if (text.empty()) return;
    if (style_.json) {
        Members members("output");
        members.text("job", job);
        if (index) members.number("index", static_cast<std::int64_t>(*index));
        members.text("stream", stream == Stream::kOut ? "stdout" : "stderr").text("text", text);
        return json_line(members.str());
    }
    const bool redraw = !drawn_.empty();
    clear_line();
    std::ostream& out = stream == Stream::kOut ? terminal_.out : terminal_.err;
    if (style_.plain) {
        out << text;
    } else {
        const std::string prefix = (index ? std::to_string(*index) : job) + ": ";
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            out << prefix << text.substr(0, end) << '\n';
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    out.flush();
    if (redraw) draw();
}

void Report::ended(const JobEnd& end) {
    clear_line();
    if (style_.json) {
        Members members("ended");
        members.text("job", end.job).text("outcome", end.complete ? "complete" : "failed").number("done", end.done);
        if (end.total) members.number("total", *end.total);
        members.number("podsFailed", end.pods_failed).text("failedIndexes", end.failed_indexes);
        members.text("reason", end.reason).text("message", end.message).number("seconds", seconds_of(end.took));
        return json_line(members.str());
    }
    if (end.complete && (style_.quiet || style_.plain)) return;
    line(end_text(end));
}

}  // namespace muster::cli
