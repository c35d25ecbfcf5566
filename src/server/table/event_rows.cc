// Events, which have two forms and one table.
#include "api/kinds/core/event.h"
#include "api/kinds/events.h"
#include "base/ascii.h"
#include "server/table/print.h"

namespace muster::server {
namespace {

constexpr Column kEventColumns[] = {
    {"Last Seen", "string", "How long ago it last happened."},
    {"Type", "string", "Normal or Warning."},
    {"Reason", "string", "Why, in one word."},
    {"Object", "string", "The object it happened to."},
    {"Subobject", "string", "The part of the object it happened to.", 1},
    {"Source", "string", "Who reported it.", 1},
    {"Message", "string", "What happened."},
    {"First Seen", "string", "How long ago it first happened.", 1},
    {"Count", "string", "How often it has happened.", 1},
    {"Name", "string", "Name of the event.", 1, "name"},
};

// What both forms say.
struct EventView {
    const api::core::ObjectReference& about;
    std::string_view name, type, reason, message, component, host;
    api::Time first, last;
    api::MicroTime event_time;
    std::int32_t count;
    const api::MicroTime* series_last;  // null without a series
    std::int32_t series_count;
};

std::string_view trim(std::string_view text) {
    static constexpr const char* kSpace = " \t\n\v\f\r";
    const std::size_t start = text.find_first_not_of(kSpace);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

void print(const EventView& event, Row& row) {
    const std::string first = event.first ? row.since_text(event.first) : row.since_text(event.event_time);
    std::string last = event.last ? row.since_text(event.last) : first;
    std::int32_t count = event.count == 0 ? 1 : event.count;
    if (event.series_last) {
        last = row.since_text(*event.series_last);
        count = event.series_count;
    }
    std::string object = lower(event.about.kind);
    if (!event.about.name.empty()) object += "/" + event.about.name;
    std::string source(event.component);
    if (!event.host.empty()) source.append(", ").append(event.host);
    row.text(last)
        .text(event.type)
        .text(event.reason)
        .text(object)
        .text(event.about.field_path)
        .text(source)
        .text(trim(event.message))
        .text(first)
        .number(count)
        .text(event.name);
}

void print_core_event(const api::core::Event& event, Row& row) {
    const auto* series = event.series.get();
    print({event.involved_object, event.metadata.name, event.type, event.reason, event.message,
           or_else(event.source.component, event.reporting_component),
           or_else(event.source.host, event.reporting_instance), event.first_timestamp, event.last_timestamp,
           event.event_time, event.count, series ? &series->last_observed_time : nullptr, series ? series->count : 0},
          row);
}

void print_event(const api::events::Event& event, Row& row) {
    const auto* series = event.series.get();
    print({event.regarding, event.metadata.name, event.type, event.reason, event.note,
           or_else(event.deprecated_source.component, event.reporting_controller),
           or_else(event.deprecated_source.host, event.reporting_instance), event.deprecated_first_timestamp,
           event.deprecated_last_timestamp, event.event_time, event.deprecated_count,
           series ? &series->last_observed_time : nullptr, series ? series->count : 0},
          row);
}

}  // namespace

Printer core_event_printer() { return make_printer<api::core::Event, print_core_event>(kEventColumns); }
Printer event_printer() { return make_printer<api::events::Event, print_event>(kEventColumns); }

}  // namespace muster::server
