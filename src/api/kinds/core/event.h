// Event: something that happened to an object, for people to read. The events group has a newer form of the same.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::core {

struct EventSource {
    TYPE(EventSource, "Who reported an event.")
    FIELD(1, Text, component, "Name of the program.")
    FIELD(2, Text, host, "Name of the node it runs on.")
};

struct EventSeries {
    TYPE(EventSeries, "How often and until when a repeated event has happened.")
    FIELD(1, std::int32_t, count, "How often it happened, up to lastObservedTime.")
    FIELD(2, MicroTime, last_observed_time, "When it last happened.")
};

struct Event {
    KIND(Event, "Something that happened to an object. Kept for a limited time and meant for people.",
         .plural = "events", .short_names = "ev", .access = Access::kEdit, .created_by_update = true,
         .has_owners = false, .packed = true, .counted = false)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.", .required = true)
    FIELD(2, ObjectReference, involved_object, "The object it happened to.", .required = true)
    FIELD(3, Text, reason, "Why, as one CamelCase word for programs.")
    FIELD(4, Text, message, "What happened, as a sentence for people.")
    FIELD(5, EventSource, source, "Who reported it.")
    FIELD(6, Time, first_timestamp, "When it was first recorded.")
    FIELD(7, Time, last_timestamp, "When it was last recorded.")
    FIELD(8, std::int32_t, count, "How often it has happened.")
    FIELD(9, Text, type, "Normal or Warning.")
    FIELD(10, MicroTime, event_time, "When it first happened.")
    FIELD(11, Box<EventSeries>, series, "Set when it happened more than once.")
    FIELD(12, Text, action, "What was done or failed, as one word for programs.")
    FIELD(13, Box<ObjectReference>, related, "A second object that took part.")
    FIELD(14, Text, reporting_component, "Who reports it, such as kubernetes.io/kubelet.", .required = true,
          .optional = true)
    FIELD(15, Text, reporting_instance, "Which instance of the reporter.", .required = true, .optional = true)
};

}  // namespace muster::api::core
