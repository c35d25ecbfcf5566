#include "server/kind_object/event_views.h"

#include "api/kinds/events.h"

namespace muster::server {

using CoreEvent = api::core::Event;
using NewEvent = api::events::Event;

CoreEvent to_stored(const NewEvent& event) {
    CoreEvent core;
    core.metadata = event.metadata;
    core.event_time = event.event_time;
    if (const auto* series = event.series.get()) {
        core.series.edit().count = series->count;
        core.series.edit().last_observed_time = series->last_observed_time;
    }
    core.reporting_component = event.reporting_controller;
    core.reporting_instance = event.reporting_instance;
    core.action = event.action;
    core.reason = event.reason;
    core.involved_object = event.regarding;
    core.related = event.related;
    core.message = event.note;
    core.type = event.type;
    core.source = event.deprecated_source;
    core.first_timestamp = event.deprecated_first_timestamp;
    core.last_timestamp = event.deprecated_last_timestamp;
    core.count = event.deprecated_count;
    return core;
}

NewEvent from_stored(const CoreEvent& core) {
    NewEvent event;
    event.metadata = core.metadata;
    event.event_time = core.event_time;
    if (const auto* series = core.series.get()) {
        event.series.edit().count = series->count;
        event.series.edit().last_observed_time = series->last_observed_time;
    }
    event.reporting_controller = core.reporting_component;
    event.reporting_instance = core.reporting_instance;
    event.action = core.action;
    event.reason = core.reason;
    event.regarding = core.involved_object;
    event.related = core.related;
    event.note = core.message;
    event.type = core.type;
    event.deprecated_source = core.source;
    event.deprecated_first_timestamp = core.first_timestamp;
    event.deprecated_last_timestamp = core.last_timestamp;
    event.deprecated_count = core.count;
    return event;
}

}  // namespace muster::server
