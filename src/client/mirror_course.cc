#include "client/mirror_course.h"

#include <algorithm>

namespace muster::client {
namespace {

constexpr Duration kDelayMin = 800ms;
constexpr Duration kDelayMax = 30s;
constexpr Duration kCatchUp = 1s;     // for a server that is behind a version
constexpr Duration kLongEnough = 1s;  // a watch that lasted so long was a good one, though nothing happened

bool is_behind(const Error& error) {
    return std::any_of(error.causes.begin(), error.causes.end(),
                       [](const Cause& cause) { return cause.reason == kVersionTooLarge; });
}

// What a watch from the same version would meet again.
bool must_list(const Error& error) {
    switch (error.code) {
        case Code::kExpired:
        case Code::kCorrupt:
        case Code::kTooLarge:
        case Code::kNotFound:
        case Code::kBadRequest: return true;
        default: return is_behind(error);
    }
}

}  // namespace

Duration MirrorCourse::back_off() {
    delay_ = progressed_ ? kDelayMin : std::clamp(2 * delay_, kDelayMin, kDelayMax);
    progressed_ = false;
    const auto jittered = std::chrono::duration_cast<Duration>(delay_ * (1 + random_.unit()));
    return std::min(jittered, kDelayMax);
}

void MirrorCourse::listed(std::string version) {
    from_ = std::move(version);
    next_ = {.list = false, .wait = {}};
}

void MirrorCourse::list_failed(const Error& error) {
    next_ = {.list = true, .wait = is_behind(error) ? kCatchUp : back_off()};
}

void MirrorCourse::progressed(std::string version) {
    from_ = std::move(version);
    progressed_ = true;
}

void MirrorCourse::watch_ended(const Error* error, Duration lasted) {
    progressed_ = progressed_ || lasted >= kLongEnough;
    const bool list = error && must_list(*error);
    const bool expired = error && error->code == Code::kExpired;
    const bool at_once = error ? expired && (progressed_ || !expired_) : progressed_;
    if (progressed_) delay_ = {};
    expired_ = expired && !progressed_;
    const Duration wait = error && is_behind(*error) ? kCatchUp : at_once ? Duration() : back_off();
    progressed_ = false;
    next_ = {.list = list, .wait = wait};
}

void MirrorCourse::went_back() { next_ = {.list = true, .wait = {}}; }

}  // namespace muster::client
