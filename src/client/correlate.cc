#include "client/correlate.h"

#include <algorithm>
#include <utility>

namespace muster::client {
namespace {

constexpr const char* kCombined = "(combined from similar events): ";

double in_seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

Correlator::About& Correlator::about(const Text& uid, Instant now) {
    const auto [found, added] = objects_.try_emplace(uid);
    if (!added) return found->second;
    found->second.tokens = limits_.burst;
    found->second.filled = now;
    order_.push_back(uid);
    if (order_.size() > limits_.objects_max) {
        objects_.erase(order_.front());
        order_.pop_front();
    }
    return found->second;
}

bool Correlator::take_token(About& about, Instant now) const {
    const double refilled = in_seconds(now - about.filled) / in_seconds(limits_.refill);
    about.tokens = std::clamp(about.tokens + refilled, 0.0, limits_.burst);
    about.filled = now;
    if (about.tokens < 1) return false;
    about.tokens -= 1;
    return true;
}

bool Correlator::may_tell(About& about, Alike& alike, Instant now) const {
    const bool told_before = std::exchange(alike.told, true);
    if (take_token(about, now)) return true;
    return !told_before && ++about.firsts <= limits_.first_max;
}

Correlator::Alike& Correlator::alike_to(About& about, const Note& note) {
    for (Alike& each : about.alike)
        if (each.reason == note.reason && each.type == note.type) return each;
    about.alike.push_back({note.type, note.reason, {}, {}, false});
    return about.alike.back();
}

// An object that lives for years, as a node or a queue, tells something new again and again.
Correlator::Told& Correlator::told_as(About& about, const Note& note, const Text& message, Instant now) const {
    for (Told& each : about.told)
        if (each.message == message && each.reason == note.reason && each.type == note.type) return each;
    if (about.told.size() >= limits_.told_max) about.told.erase(about.told.begin());
    about.named = std::max(now, about.named + 1ns);
    about.told.push_back({note.type, note.reason, message, 0, now, about.named});
    return about.told.back();
}

void Correlator::forget(const Text& object_uid, Instant named) {
    const auto found = objects_.find(object_uid);
    if (found != objects_.end())
        std::erase_if(found->second.told, [&](const Told& told) { return told.named == named; });
}

Correlated Correlator::correlate(const Text& object_uid, const Note& note, Instant now) {
    About& known = about(object_uid, now);
    Alike& alike = alike_to(known, note);
    if (now - alike.last > limits_.window) alike.messages.clear();
    alike.last = now;
    const auto same = std::find(alike.messages.begin(), alike.messages.end(), std::string_view(note.message));
    const Text message = same != alike.messages.end() ? *same : Text(note.message);
    if (static_cast<int>(alike.messages.size()) <= limits_.alike_max && same == alike.messages.end())
        alike.messages.push_back(message);
    const bool combined = static_cast<int>(alike.messages.size()) > limits_.alike_max;

    Correlated out;
    if (!may_tell(known, alike, now)) return out;
    Told& told = told_as(known, note, combined ? Text() : message, now);
    out.what = told.count == 0 ? Correlated::What::kCreate : Correlated::What::kUpdate;
    out.message = combined ? Text(kCombined + note.message) : message;
    out.count = ++told.count;
    out.first = told.first;
    out.named = told.named;
    return out;
}

}  // namespace muster::client
