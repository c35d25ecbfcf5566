#include "sim/world/api_front.h"

#include "base/reached.h"

namespace muster::sim {
namespace {

constexpr Duration kRemembered = 2min;  // longer than any lag, and than any version is kept

}  // namespace

void ApiFront::note_durable(store::Revision revision) {
    const Duration now = loop_.uptime();
    while (marks_.size() > 1 && marks_[1].at + kRemembered < now) marks_.pop_front();
    marks_.push_back({now, revision});
}

void ApiFront::begin_at(store::Revision revision) {
    marks_.clear();
    note_durable(revision);
}

Duration ApiFront::draw_lag() {
    if (ways.caches == 0) return {};
    while (lags_.size() < static_cast<std::size_t>(ways.caches))
        lags_.emplace_back(random_.between(0, ways.lag_max.count()));
    return lags_[random_.below(lags_.size())];
}

std::optional<Duration> ApiFront::draw_watch_life() {
    if (ways.watch_life == Duration()) return std::nullopt;
    return Duration(random_.between(ways.watch_life.count() / 2, ways.watch_life.count()));
}

store::Revision ApiFront::shown(Duration lag) const {
    const Duration then = loop_.uptime() - lag;
    for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark)
        if (mark->at <= then) return mark->revision;
    return marks_.empty() ? 0 : marks_.front().revision;
}

std::optional<Error> ApiFront::refuse() {
    if (!random_.chance(static_cast<std::uint64_t>(ways.throttle), 1000)) return std::nullopt;
    Error error{Code::kTooManyRequests, "too many requests, please try again later"};
    error.retry_after_seconds = static_cast<int>(random_.between(1, ways.retry_after_max));
    return error;
}

}  // namespace muster::sim
