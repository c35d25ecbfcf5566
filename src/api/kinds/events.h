// The events group: the newer form of core's Event, stored as the same objects.
#pragma once

#include "api/kinds/core/event.h"

namespace muster::api::events {

inline constexpr const char* kPackage = "io.k8s.api.events.v1";
inline constexpr const char* kGroup = "events.k8s.io";
inline constexpr const char* kVersion = "v1";

struct EventSeries {
    TYPE(EventSeries, "How often and until when a repeated event has happened.")
    FIELD(1, std::int32_t, count, "How often it happened, up to lastObservedTime.", .required = true)
    FIELD(2, MicroTime, last_observed_time, "When it last happened.", .required = true)
};

struct Event {
    KIND(Event, "Something that happened to an object. Kept for a limited time and meant for people.",
         .plural = "events", .short_names = "ev", .access = Access::kEdit, .counted = false)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.", .required = true, .optional = true)
    FIELD(2, MicroTime, event_time, "When it first happened. Required.", .required = true)
    FIELD(3, Box<EventSeries>, series, "Set when it happened more than once.")
    FIELD(4, Text, reporting_controller, "Who reports it, such as kubernetes.io/kubelet. Required for new events.")
    FIELD(5, Text, reporting_instance,
          "Which instance of the reporter, at most 128 characters. Required for new events.")
    FIELD(6, Text, action,
          "What was done or failed, as one word for programs, at most 128 characters. Required for new events.")
    FIELD(7, Text, reason, "Why, as one CamelCase word, at most 128 characters. Required for new events.")
    FIELD(8, core::ObjectReference, regarding, "The object it happened to.")
    FIELD(9, Box<core::ObjectReference>, related, "A second object that took part.")
    FIELD(10, Text, note, "What happened, as a sentence for people, at most 1 kB.")
    FIELD(11, Text, type, "Normal or Warning. Required for new events.")
    FIELD(12, core::EventSource, deprecated_source, "The source of the core form.")
    FIELD(13, Time, deprecated_first_timestamp, "The firstTimestamp of the core form.")
    FIELD(14, Time, deprecated_last_timestamp, "The lastTimestamp of the core form.")
    FIELD(15, std::int32_t, deprecated_count, "The count of the core form.")
};

}  // namespace muster::api::events
