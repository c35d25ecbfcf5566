// What the source of a mirror does next: list, or watch from where the last watch ended. It lists again only when it
// must: the history has expired, the server is behind the version, versions went back, or an event cannot be read. Pure
// but for its memory and its jitter.
#pragma once

#include <string>

#include "base/instant.h"
#include "base/prng.h"
#include "base/result.h"

namespace muster::client {

// The reason of the Status cause with which a server refuses a version that it has not reached.
inline constexpr const char* kVersionTooLarge = "ResourceVersionTooLarge";

class MirrorCourse {
public:
    explicit MirrorCourse(std::uint64_t seed) : random_(seed) {}

    struct Next {
        bool list = true;  // else watch from `from`
        Duration wait{};   // before that
        bool operator==(const Next&) const = default;
    };
    const Next& next() const { return next_; }
    const std::string& from() const { return from_; }

    void listed(std::string version);
    void list_failed(const Error& error);
    // Something has come, up to this version.
    void progressed(std::string version);
    // Null: the server has ended the watch, as servers do every few minutes.
    void watch_ended(const Error* error, Duration lasted);
    // An event has a lower version than those before it: the server's data was restored from a backup.
    void went_back();

private:
    Duration back_off();

    Prng random_;
    std::string from_;
    Next next_;
    bool progressed_ = false;  // since the last step
    bool expired_ = false;     // the last watch, before anything came
    Duration delay_{};
};

}  // namespace muster::client
