#include "client/recorder.h"

#include <charconv>

#include "api/value/time.h"
#include "os/loop/guard.h"

namespace muster::client {
namespace {

using api::core::Event;
using api::core::ObjectReference;

constexpr std::size_t kWrittenMax = 8192;
constexpr const char* kDefaultNamespace = "default";

// "pi.17c2a3f5b6e0": as upstream names them, from the moment in nanoseconds.
std::string event_name(const Text& object, Instant now) {
    char digits[17];
    const auto nanos = static_cast<std::uint64_t>(now.since_epoch().count());
    const auto [end, code] = std::to_chars(digits, digits + sizeof(digits), nanos, 16);
    return object.str() + '.' + std::string(digits, end);
}

}  // namespace

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
    const Instant now = loop_.now();
    Correlated told = correlator_.correlate(about.uid, note, now);
    if (told.what == Correlated::What::kDrop) return;
    told.key.append(1, '\n').append(about.uid.view());
    const auto written = written_.find(told.key);
    if (told.what == Correlated::What::kUpdate && written != written_.end()) {
        written->second.next = Again{std::move(told.message), told.count, now};
        if (std::exchange(written->second.busy, true)) return;
        tasks_.spawn(os::apart(count_up(written->second.name, std::move(told.key)), "an event"));
        return;
    }
    Event event;
    event.metadata.namespace_ = about.namespace_.empty() ? Text(kDefaultNamespace) : about.namespace_;
    // Two events of one object in one instant need two names.
    event.metadata.name = event_name(about.name, now + Duration(static_cast<long>(written_.size())));
    event.reason = note.reason;
    event.message = told.message;
    event.source.component = component_;
    event.first_timestamp = api::Time::from_instant(told.first);
    event.last_timestamp = api::Time::from_instant(now);
    event.count = told.count;
    event.type = note.type;
    event.reporting_component = component_;
    event.involved_object = std::move(about);
    if (written_.size() >= kWrittenMax) written_.clear();
    written_.insert_or_assign(told.key, Written{name_of(event), std::nullopt});
    tasks_.spawn(os::apart(create(std::move(event), std::move(told.key)), "an event"));
}

os::Task<void> Recorder::create(Event event, std::string key) {
    const ObjectName name = name_of(event);
    const auto created = co_await client_.create<Event>(std::move(event));
    if (created.ok()) co_return co_await count_up(name, std::move(key));
    const auto written = written_.find(key);
    if (written != written_.end() && written->second.name == name) written_.erase(written);
}

// Only what is new is written: the rest of the event is not read for it.
os::Task<void> Recorder::count_up(ObjectName name, std::string key) {
    while (const std::optional<Again> again = take_next(name, key)) {
        Event before;
        before.metadata.namespace_ = name.namespace_;
        before.metadata.name = name.name;
        Event after = before;
        after.message = again->message;
        after.count = again->count;
        after.last_timestamp = api::Time::from_instant(again->at);
        (void)co_await client_.change<Event>(std::make_shared<const Event>(std::move(before)), std::move(after));
    }
}

std::optional<Recorder::Again> Recorder::take_next(const ObjectName& name, const std::string& key) {
    const auto written = written_.find(key);
    if (written == written_.end() || !(written->second.name == name)) return std::nullopt;
    written->second.busy = written->second.next.has_value();
    return std::exchange(written->second.next, std::nullopt);
}

}  // namespace muster::client
