// Which of many notes become events: the same again counts up the one there is, many alike are combined into one, and
// an object that causes a flood gets a few and then one every five minutes. As Kubernetes' recorders do, so that a Job
// with a hundred thousand pods does not make as many events. Pure but for its memory, which is bounded.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>

#include "base/instant.h"
#include "base/text.h"

namespace muster::client {

struct Note {
    Text type;  // Normal or Warning
    Text reason;
    std::string message;
    bool operator==(const Note&) const = default;
};

struct Correlated {
    enum class What { kDrop, kCreate, kUpdate } what = What::kDrop;
    std::string key{};  // the same for a create and the updates after it
    std::string message{};
    int count = 0;
    Instant first{};
};

struct CorrelatorLimits {
    double burst = 25;
    Duration refill = 300s;  // for one more
    int alike_max = 10;      // different messages of one reason, before they are combined
    Duration window = 600s;  // how long alike is alike
    std::size_t objects_max = 4096;
};

class Correlator {
public:
    explicit Correlator(CorrelatorLimits limits = {}) : limits_(limits) {}
    Correlated correlate(const Text& object_uid, const Note& note, Instant now);

private:
    struct Told {
        int count = 0;
        Instant first;
    };
    struct Alike {
        std::set<std::string> messages;
        Instant last;
    };
    struct About {
        double tokens = 0;
        Instant filled;
        std::map<std::string, Told> told;    // by type, reason and message
        std::map<std::string, Alike> alike;  // by type and reason
    };
    About& about(const Text& uid, Instant now);
    bool take_token(About& about, Instant now) const;

    CorrelatorLimits limits_;
    std::map<Text, About> objects_;
    std::deque<Text> order_;  // oldest first
};

}  // namespace muster::client
