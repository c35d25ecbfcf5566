// What Kueue checks in webhooks and not in the definitions of its kinds. A webhook is asked about what the definition
// allows, and its refusal is 403 where that of a definition is 422.
#pragma once

#include "api/schema/kind_info.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

struct WebhookAnswer {
    const char* webhook = "";
    FieldErrors errors{};
};

// Nothing is refused of kinds that no webhook looks at. `before` is null on a creation; `status`: only that was
// written.
WebhookAnswer ask_queueing_webhook(const KindInfo& kind, const void* now, const void* before, bool status);

// "spec.x: Required value"; several in brackets.
std::string format_refusal(const FieldErrors& errors);

// `admission webhook "w" denied the request: spec.x: Required value`. The errors must not be empty.
Error denied_by_webhook(const WebhookAnswer& answer);

}  // namespace muster::api
