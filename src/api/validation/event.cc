#include "api/validation/event.h"

#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

constexpr std::size_t kWordBytesMax = 128;
constexpr std::size_t kNoteBytesMax = 1024;

// What the two forms have alike, under the names each gives it.
struct EventView {
    const meta::ObjectMeta& metadata;
    const core::ObjectReference& object;
    const MicroTime& time;
    const Text& reporter;
    const char* reporter_name;
    const Text& instance;
    const Text& action;
    const Text& reason;
    const Text& note;
};

EventView view_of(const core::Event& event) {
    return {event.metadata,       event.involved_object,    event.event_time, event.reporting_component,
            "reportingComponent", event.reporting_instance, event.action,     event.reason,
            event.message};
}

EventView view_of(const events::Event& event) {
    return {event.metadata,
            event.regarding,
            event.event_time,
            event.reporting_controller,
            "reportingController",
            event.reporting_instance,
            event.action,
            event.reason,
            event.note};
}

void check_word(const Text& word, const char* name, FieldErrors& errors) {
    if (word.empty()) errors.add_required(FieldPath(name), "");
    if (word.size() > kWordBytesMax)
        errors.add_invalid(FieldPath(name), "", "can have at most " + std::to_string(kWordBytesMax) + " characters");
}

void check_namespaces(const EventView& event, FieldErrors& errors) {
    const Text& own = event.metadata.namespace_;
    const Text& object = event.object.namespace_;
    bool agree = own == object;
    if (event.time) {
        agree = !object.empty() || own == "default" || own == "kube-system";
    } else if (object.empty()) {
        agree = own.empty() || own == "default";
    }
    if (!agree)
        errors.add_invalid(FieldPath("involvedObject").child("namespace"), object, "does not match event.namespace");
}

void check_view(const EventView& event, FieldErrors& errors) {
    check_namespaces(event, errors);
    if (!event.time) return;
    const FieldPath reporter(event.reporter_name);
    if (event.reporter.empty()) errors.add_required(reporter, "");
    errors.add_problems(reporter, event.reporter, is_qualified_name(event.reporter));
    check_word(event.instance, "reportingInstance", errors);
    check_word(event.action, "action", errors);
    check_word(event.reason, "reason", errors);
    if (event.note.size() > kNoteBytesMax) {
        errors.add_invalid(FieldPath("message"), "",
                           "can have at most " + std::to_string(kNoteBytesMax) + " characters");
    }
}

void check_series(const events::Event& event, FieldErrors& errors) {
    if (!event.series) return;
    if (event.series->count < 2) errors.add_invalid(FieldPath("series.count"), "", "should be at least 2");
    if (!event.series->last_observed_time) errors.add_required(FieldPath("series.lastObservedTime"), "");
}

void check_unset(bool is_set, const char* name, FieldErrors& errors) {
    if (is_set) errors.add_invalid(FieldPath(name), "", "needs to be unset");
}

}  // namespace

FieldErrors validate_event_create(const core::Event& event) {
    FieldErrors errors;
    check_view(view_of(event), errors);
    if (errors.empty()) check_metadata(event.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    return errors;
}

FieldErrors validate_event_update(const core::Event& now, const core::Event&) {
    FieldErrors errors;
    check_view(view_of(now), errors);
    return errors;
}

FieldErrors validate_event_create(const events::Event& event) {
    FieldErrors errors;
    check_view(view_of(event), errors);
    check_metadata(event.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    check_series(event, errors);
    if (!event.event_time) errors.add_required(FieldPath("eventTime"), "");
    if (!(event.type == "Normal") && !(event.type == "Warning"))
        errors.add_invalid(FieldPath("type"), "", "has invalid value: " + event.type.str());
    check_unset(static_cast<bool>(event.deprecated_first_timestamp), "firstTimestamp", errors);
    check_unset(static_cast<bool>(event.deprecated_last_timestamp), "lastTimestamp", errors);
    check_unset(event.deprecated_count != 0, "count", errors);
    check_unset(!event.deprecated_source.component.empty() || !event.deprecated_source.host.empty(), "source", errors);
    return errors;
}

FieldErrors validate_event_update(const events::Event& now, const events::Event& before) {
    FieldErrors errors;
    check_view(view_of(now), errors);
    if (!(now.series == before.series)) check_series(now, errors);
    check_immutable(now.regarding, before.regarding, FieldPath("involvedObject"), errors);
    check_immutable(now.reason, before.reason, FieldPath("reason"), errors);
    check_immutable(now.note, before.note, FieldPath("message"), errors);
    check_immutable(now.type, before.type, FieldPath("type"), errors);
    check_immutable(now.event_time, before.event_time, FieldPath("eventTime"), errors);
    check_immutable(now.action, before.action, FieldPath("action"), errors);
    check_immutable(now.related, before.related, FieldPath("related"), errors);
    check_immutable(now.reporting_controller, before.reporting_controller, FieldPath("reportingController"), errors);
    check_immutable(now.reporting_instance, before.reporting_instance, FieldPath("reportingInstance"), errors);
    return errors;
}

}  // namespace muster::api
