// The options of a request. Clients send them as query parameters of the same names; DeleteOptions, which also comes
// as a body, is in meta.h.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api::meta {

struct ListOptions {
    KIND(ListOptions, "What to list or watch, and from which version on.", .group = "")
    FIELD(1, Text, label_selector, "Only objects whose labels match. Everything by default.")
    FIELD(2, Text, field_selector, "Only objects whose fields match. Everything by default.")
    FIELD(3, bool, watch, "Stream the changes instead of answering with a list.")
    FIELD(4, Text, resource_version, "The version to list at or to watch from. resourceVersionMatch says how exactly.")
    FIELD(5, std::optional<std::int64_t>, timeout_seconds, "Ends the list or watch after so many seconds.")
    FIELD(7, std::int64_t, limit,
          "At most so many items in one answer; more are fetched with continue. Zero is without limit.")
    FIELD(8, Text, continue_, "The token of the answer before, to fetch the next part.", .json = "continue")
    FIELD(9, bool, allow_watch_bookmarks, "Lets the watch send BOOKMARK events, which carry only a version.")
    FIELD(10, Text, resource_version_match,
          "How resourceVersion is meant: Exact, or NotOlderThan. Not allowed without resourceVersion or on a plain "
          "watch.",
          .one_of = "NotOlderThan|Exact")
    FIELD(11, std::optional<bool>, send_initial_events,
          "Starts the watch with an ADDED event for every object there is, then a bookmark that marks the end of "
          "them. Needs resourceVersionMatch NotOlderThan.")
};

struct GetOptions {
    KIND(GetOptions, "How to read one object.", .group = "")
    FIELD(1, Text, resource_version, "The object may be as old as this version. The newest by default.")
};

struct CreateOptions {
    KIND(CreateOptions, "How to create an object.", .group = "")
    FIELD(1, List<Text>, dry_run, "All stops short of storing anything. All is the only value.")
    FIELD(3, Text, field_manager, "Name under which the written fields are noted, at most 128 printable characters.")
    FIELD(4, Text, field_validation,
          "What unknown or duplicate fields lead to: nothing with Ignore, a warning with Warn, an error with Strict. "
          "Warn by default.",
          .one_of = "Ignore|Warn|Strict")
};

struct PatchOptions {
    KIND(PatchOptions, "How to patch or apply an object.", .group = "")
    FIELD(1, List<Text>, dry_run, "All stops short of storing anything. All is the only value.")
    FIELD(2, std::optional<bool>, force, "Takes fields over from other managers. Only allowed when applying.")
    FIELD(3, Text, field_manager,
          "Name under which the written fields are noted, at most 128 printable characters. Required when applying.")
    FIELD(4, Text, field_validation,
          "What unknown or duplicate fields lead to: nothing with Ignore, a warning with Warn, an error with Strict. "
          "Warn by default.",
          .one_of = "Ignore|Warn|Strict")
};

struct UpdateOptions {
    KIND(UpdateOptions, "How to replace an object.", .group = "")
    FIELD(1, List<Text>, dry_run, "All stops short of storing anything. All is the only value.")
    FIELD(2, Text, field_manager, "Name under which the written fields are noted, at most 128 printable characters.")
    FIELD(3, Text, field_validation,
          "What unknown or duplicate fields lead to: nothing with Ignore, a warning with Warn, an error with Strict. "
          "Warn by default.",
          .one_of = "Ignore|Warn|Strict")
};

}  // namespace muster::api::meta
