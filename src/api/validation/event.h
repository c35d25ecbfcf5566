// The rules for Events, in the form of the core group and in that of events.k8s.io. An Event with an eventTime must say
// who reports it and what was done; one without follows the rules of old.
#pragma once

#include "api/kinds/core/event.h"
#include "api/kinds/events.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_event_create(const core::Event& event);
FieldErrors validate_event_update(const core::Event& now, const core::Event& before);
// Stricter: a time and a type are needed, and nothing of the old form may be set.
FieldErrors validate_event_create(const events::Event& event);
// Only the series goes on.
FieldErrors validate_event_update(const events::Event& now, const events::Event& before);

}  // namespace muster::api
