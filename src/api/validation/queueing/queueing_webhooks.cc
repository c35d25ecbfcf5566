#include "api/validation/queueing/queueing_webhooks.h"

#include "api/validation/queueing/queueing.h"
#include "api/validation/queueing/workload.h"

namespace muster::api {
namespace {

template <class K>
FieldErrors webhook_errors(const void* now, const void* before, bool status) {
    const K& object = *static_cast<const K*>(now);
    if (!before) return check_queueing_create(object).webhook;
    const K& old = *static_cast<const K*>(before);
    if constexpr (std::is_same_v<K, kueue::Workload>)
        if (status) return check_workload_status_update(object, old).webhook;
    return check_queueing_update(object, old).webhook;
}

struct Webhook {
    const KindInfo* kind;
    const char* name;
    FieldErrors (*ask)(const void* now, const void* before, bool status);
};

const Webhook kQueueingWebhooks[] = {
    {&kind_info<kueue::ClusterQueue>(), "vclusterqueue.kb.io", webhook_errors<kueue::ClusterQueue>},
    {&kind_info<kueue::Cohort>(), "vcohort.kb.io", webhook_errors<kueue::Cohort>},
    {&kind_info<kueue::ResourceFlavor>(), "vresourceflavor.kb.io", webhook_errors<kueue::ResourceFlavor>},
    {&kind_info<kueue::Workload>(), "vworkload.kb.io", webhook_errors<kueue::Workload>},
};

}  // namespace

WebhookAnswer ask_queueing_webhook(const KindInfo& kind, const void* now, const void* before, bool status) {
    for (const Webhook& webhook : kQueueingWebhooks)
        if (webhook.kind == &kind) return {webhook.name, webhook.ask(now, before, status)};
    return {};
}

Error denied_by_webhook(const WebhookAnswer& answer) {
    CHECK(!answer.errors.empty());
    std::string text;
    for (const Cause& cause : answer.errors.causes())
        text += (text.empty() ? "" : ", ") + cause.field + ": " + cause.message;
    if (answer.errors.size() > 1) text = "[" + text + "]";
    return {Code::kForbidden, std::string("admission webhook \"") + answer.webhook + "\" denied the request: " + text};
}

}  // namespace muster::api
