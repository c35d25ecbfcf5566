// The bodies that are not stored objects: the answer to a failed or object-less request, one event of a watch, and an
// object of any kind reduced to its metadata.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api::meta {

struct StatusCause {
    TYPE(StatusCause, "One reason of a failure, as a rule one wrong field.")
    FIELD(1, Text, reason, "Why, as one CamelCase word for programs, such as FieldValueInvalid.")
    FIELD(2, Text, message, "Why, as a sentence for people.")
    FIELD(3, Text, field, "Path of the field that caused the failure, such as spec.template.spec.containers[0].name.")
};

struct StatusDetails {
    TYPE(StatusDetails, "What a failure is about. Which fields are set depends on the reason.")
    FIELD(1, Text, name, "Name of the object, or of the thing the reason speaks of.")
    FIELD(2, Text, group, "API group of the object.")
    FIELD(3, Text, kind, "Resource of the object, which can differ from its kind's name.")
    FIELD(4, List<StatusCause>, causes, "The single reasons, one per wrong field.")
    FIELD(5, std::int32_t, retry_after_seconds, "Seconds to wait before trying again. Zero says nothing of it.")
    FIELD(6, Text, uid, "UID of the object, when there is one.")
};

struct Status {
    KIND(Status, "The answer to a request that has no object to answer with: a failure, or plain success.", .group = "")
    FIELD(1, ListMeta, metadata, "Always empty; every answer has it.")
    FIELD(2, Text, status, "Success or Failure.", .one_of = "Success|Failure")
    FIELD(3, Text, message, "What happened, as a sentence for people.")
    FIELD(4, Text, reason, "Why the request failed, as one CamelCase word for programs, such as NotFound or Conflict.")
    FIELD(5, Box<StatusDetails>, details, "More about the failure. Depends on the reason.")
    FIELD(6, std::int32_t, code, "The HTTP status code.")
};

struct WatchEvent {
    TYPE(WatchEvent, "One event of a watch.")
    FIELD(1, Text, type, "What happened: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.", .required = true,
          .one_of = "ADDED|MODIFIED|DELETED|BOOKMARK|ERROR")
    FIELD(
        2, RawJson, object,
        "The object after the change; for DELETED its last state, for BOOKMARK only its kind and resourceVersion, for "
        "ERROR a Status.",
        .required = true)
};

struct PartialObjectMetadata {
    KIND(PartialObjectMetadata, "An object of any kind with nothing but its metadata.")
    FIELD(1, ObjectMeta, metadata, "The object's metadata.")
};

}  // namespace muster::api::meta
