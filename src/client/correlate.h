// Which of many notes become events: the same again counts up the one there is, many alike are combined into one, and
// an object that causes a flood gets a few and then one every five minutes. As Kubernetes' recorders do, so that a Job
// with a hundred thousand pods does not make as many events; but here a flood of one reason does not drown the first
// note of another, so that such a Job's end is told. Pure but for its memory, which is bounded.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/instant.h"
#include "base/text.h"

namespace muster::client {

struct Note {
    Text type;  // Normal or Warning
    Text reason;
    std::string message;

    static Note of(bool warning, Text reason, std::string message) {
        return {warning ? "Warning" : "Normal", std::move(reason), std::move(message)};
    }
    static Note normal(Text reason, std::string message) { return of(false, std::move(reason), std::move(message)); }
    static Note warning(Text reason, std::string message) { return of(true, std::move(reason), std::move(message)); }
    bool operator==(const Note&) const = default;
};

struct Correlated {
    enum class What { kDrop, kCreate, kUpdate } what = What::kDrop;
    Text message{};
    int count = 0;
    Instant first{};
    // The moment in the event's name: the same for a create and the updates after it, another for each event of an
    // object.
    Instant named{};
};

struct CorrelatorLimits {
    double burst = 25;
    Duration refill = 300s;  // for one more
    int alike_max = 10;      // different messages of one reason, before they are combined
    Duration window = 600s;  // how long alike is alike
    int first_max = 8;       // reasons of one object that are told though it has caused a flood, once each
    std::size_t objects_max = 4096;
    std::size_t told_max = 64;  // notes of one object that are remembered; one that was forgotten is told as new
};

class Correlator {
public:
    explicit Correlator(CorrelatorLimits limits = {}) : limits_(limits) {}
    Correlated correlate(const Text& object_uid, const Note& note, Instant now);
    // The event of that name is not there: the same note is told as new.
    void forget(const Text& object_uid, Instant named);

private:
    struct Told {
        Text type;
        Text reason;
        Text message;  // empty: combined from many
        int count = 0;
        Instant first;
        Instant named;
    };
    struct Alike {
        Text type;
        Text reason;
        std::vector<Text> messages;  // different ones, a few
        Instant last;
        bool told = false;
    };
    // Few of each, as tokens are few: they are looked through.
    struct About {
        double tokens = 0;
        Instant filled;
        int firsts = 0;  // told though there was no token
        Instant named;   // the last event
        std::vector<Told> told;
        std::vector<Alike> alike;
    };
    About& about(const Text& uid, Instant now);
    static Alike& alike_to(About& about, const Note& note);
    Told& told_as(About& about, const Note& note, const Text& message, Instant now) const;
    bool take_token(About& about, Instant now) const;
    bool may_tell(About& about, Alike& alike, Instant now) const;

    CorrelatorLimits limits_;
    std::unordered_map<Text, About> objects_;
    std::deque<Text> order_;  // oldest first
};

}  // namespace muster::client
