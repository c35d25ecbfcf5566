#include "client/recorder.h"

#include <charconv>

#include "api/value/time.h"
#include "os/log/log.h"
#include "os/loop/guard.h"

namespace muster::client {
namespace {

using api::core::Event;
using api::core::ObjectReference;

constexpr const char* kDefaultNamespace = "default";

// "pi.17c2a3f5b6e0": as upstream names them, from the moment in nanoseconds.
std::string event_name(const Text& object, Instant moment) {
    char digits[17];
    const auto nanos = static_cast<std::uint64_t>(moment.since_epoch().count());
    const auto [end, code] = std::to_chars(digits, digits + sizeof(digits), nanos, 16);
    std::string name = object.str();
    return name.append(1, '.').append(digits, end);
}

}  // namespace

Recorder::Recorder(os::Loop& loop, Client& client, Text component)
    : loop_(loop),
      client_(client),
      component_(std::move(component)),
      apart_(std::hash<Text>()(component_) % 997 * 1us),
      tasks_(loop) {}

ObjectReference Recorder::reference_to(const api::KindInfo& kind, const api::meta::ObjectMeta& metadata) {
    ObjectReference about;
    about.kind = kind.kind;
    about.api_version = kind.api_version();
    about.namespace_ = metadata.namespace_;
    about.name = metadata.name;
    about.uid = metadata.uid;
    about.resource_version = metadata.resource_version;
    return about;
}

void Recorder::note(ObjectReference about, Note note) {
    LOG_INFO(3, "Event occurred", {"object", about}, {"kind", about.kind}, {"type", note.type}, {"reason", note.reason},
             {"message", note.message});
    const Instant now = loop_.now();
    Correlated told = correlator_.correlate(about.uid, note, now);
    if (told.what == Correlated::What::kDrop) return;
    const Text namespace_ = about.namespace_.empty() ? Text(kDefaultNamespace) : about.namespace_;
    EventId id(about.uid, told.named, ObjectName(namespace_, event_name(about.name, told.named + apart_)));
    const auto [writing, idle] = writing_.try_emplace(id.name);
    if (told.what == Correlated::What::kUpdate) {
        writing->second = Again{std::move(told.message), told.count, now};
        if (idle) tasks_.spawn(os::apart(count_up(std::move(id)), "an event"));
        return;
    }
    Event event;
    event.metadata.namespace_ = id.name.namespace_;
    event.metadata.name = id.name.name;
    event.reason = note.reason;
    event.message = std::move(told.message);
    event.source.component = component_;
    event.first_timestamp = api::Time::from_instant(told.first);
    event.last_timestamp = api::Time::from_instant(now);
    event.count = told.count;
    event.type = note.type;
    event.reporting_component = component_;
    event.involved_object = std::move(about);
    tasks_.spawn(os::apart(create(std::move(event), std::move(id)), "an event"));
}

os::Task<void> Recorder::create(Event event, EventId id) {
    const auto created = co_await client_.create<Event>(std::move(event));
    if (created.ok()) co_return co_await count_up(std::move(id));
    correlator_.forget(id.uid, id.named);
    writing_.erase(id.name);
}

// Only what is new is written: the rest of the event is not read for it.
os::Task<void> Recorder::count_up(EventId id) {
    while (const std::optional<Again> again = take_next(id.name)) {
        Event before;
        before.metadata.namespace_ = id.name.namespace_;
        before.metadata.name = id.name.name;
        Event after = before;
        after.message = again->message;
        after.count = again->count;
        after.last_timestamp = api::Time::from_instant(again->at);
        const auto changed =
            co_await client_.change<Event>(std::make_shared<const Event>(std::move(before)), std::move(after));
        // Events expire: what happens again after that is a new one.
        if (!changed.ok() && changed.error().code == Code::kNotFound) correlator_.forget(id.uid, id.named);
    }
}

std::optional<Recorder::Again> Recorder::take_next(const ObjectName& name) {
    const auto writing = writing_.find(name);
    // Two objects of one name that are noted in one instant share the name of their events, and only one is written.
    if (writing == writing_.end()) return std::nullopt;
    std::optional<Again> next = std::exchange(writing->second, std::nullopt);
    if (!next) writing_.erase(writing);
    return next;
}

}  // namespace muster::client
