#include "cli/run/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cli/text/align.h"

namespace muster::cli {
namespace {

constexpr int kBarMax = 30;
constexpr int kBarMin = 10;

std::string rate_text(double rate) {
    char text[32];
    if (rate >= 10)
        std::snprintf(text, sizeof(text), "%.0f/s", rate);
    else if (rate >= 0.1)
        std::snprintf(text, sizeof(text), "%.1f/s", rate);
    else
        std::snprintf(text, sizeof(text), "%.1f/min", rate * 60);
    return text;
}

std::string bar(std::int64_t done, std::int64_t total, int width) {
    const int full = total > 0 ? static_cast<int>(std::clamp<std::int64_t>(done * width / total, 0, width)) : 0;
    std::string out = "▕";
    for (int i = 0; i < width; ++i) out += i < full ? "█" : "░";
    return out + "▏";
}

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// In the order in which they are shown; the last ones are the first to go.
std::vector<std::string> facts(const Progress& progress) {
    std::vector<std::string> out;
    const std::string of = progress.total ? '/' + std::to_string(*progress.total) : "";
    out.push_back(std::to_string(progress.done) + of + " done");
    if (progress.running > 0) out.push_back(std::to_string(progress.running) + " running");
    if (progress.failed > 0) out.push_back(std::to_string(progress.failed) + " failed");
    if (progress.rate > 0) {
        out.push_back(rate_text(progress.rate));
        const std::int64_t left = progress.total ? *progress.total - progress.done : 0;
        if (left > 0) {
            const double seconds = std::min(static_cast<double>(left) / progress.rate, 1e9);
            out.push_back(format_span(std::chrono::seconds(static_cast<std::int64_t>(std::ceil(seconds)))) + " left");
        }
    }
    return out;
}

std::string cut(const std::string& text, std::size_t width) {
    std::string out;
    std::size_t used = 0;
    for (const char c : text) {
        const bool begins = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (begins && used == width) break;
        used += begins ? 1 : 0;
        out += c;
    }
    return out;
}

}  // namespace

std::string format_progress(const Progress& progress) {
    std::string line = progress.name + "  ";
    const std::vector<std::string> parts = facts(progress);
    for (const std::string& part : parts) line += (&part == &parts.front() ? "" : ", ") + part;
    return line;
}

std::string format_progress(const Progress& progress, int width) {
    const std::size_t room = static_cast<std::size_t>(std::max(width, 1));
    std::string line = progress.name + "  ";
    const std::vector<std::string> parts = facts(progress);
    std::size_t needed = text_width(line);
    for (const std::string& part : parts) needed += text_width(part) + (&part == &parts.front() ? 0 : 2);
    const std::size_t bar_room = needed + 4 < room ? room - needed - 4 : 0;
    if (progress.total && bar_room >= kBarMin)
        line += bar(progress.done, *progress.total, static_cast<int>(std::min<std::size_t>(bar_room, kBarMax))) + "  ";
    for (const std::string& part : parts) {
        const std::string piece = (&part == &parts.front() ? "" : ", ") + part;
        if (&part != &parts.front() && text_width(line) + text_width(piece) > room) break;
        line += piece;
    }
    // A name that leaves no room for the numbers goes.
    if (text_width(line) > room) line = parts.front();
    return cut(line, room);
}

std::string format_span(Duration span) {
    const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
    if (ms < 1000) return std::to_string(ms) + "ms";
    const std::int64_t seconds = ms / 1000;
    if (seconds < 10 && ms % 1000 >= 100) return std::to_string(seconds) + '.' + std::to_string(ms % 1000 / 100) + 's';
    if (seconds < 60) return std::to_string(seconds) + 's';
    if (seconds < 3600) return std::to_string(seconds / 60) + 'm' + two_digits(seconds % 60) + 's';
    if (seconds < 86400) return std::to_string(seconds / 3600) + 'h' + two_digits(seconds % 3600 / 60) + 'm';
    return std::to_string(seconds / 86400) + 'd' + two_digits(seconds % 86400 / 3600) + 'h';
}

void Pace::add(Duration at, std::int64_t done) {
    if (!samples_.empty() && samples_.back().done == done && samples_.size() > 1)
        samples_.back().at = at;
    else
        samples_.push_back({at, done});
    while (samples_.size() > 2 && samples_[1].at + kWindow < at) samples_.pop_front();
}

double Pace::rate() const {
    if (samples_.size() < 2) return 0;
    const double seconds = std::chrono::duration<double>(samples_.back().at - samples_.front().at).count();
    const auto done = static_cast<double>(samples_.back().done - samples_.front().done);
    return seconds > 0 && done > 0 ? done / seconds : 0;
}

}  // namespace muster::cli
