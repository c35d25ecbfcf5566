#include "api/validation/queueing/queueing_webhooks.h"

#include "api/registry/kind_column.h"
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
    const char* name;
    FieldErrors (*ask)(const void* now, const void* before, bool status);
};

// The webhook of each kind that has one.
template <class K>
constexpr const char* kWebhookName = nullptr;
template <>
constexpr const char* kWebhookName<kueue::ClusterQueue> = "vclusterqueue.kb.io";
template <>
constexpr const char* kWebhookName<kueue::Cohort> = "vcohort.kb.io";
template <>
constexpr const char* kWebhookName<kueue::ResourceFlavor> = "vresourceflavor.kb.io";
template <>
constexpr const char* kWebhookName<kueue::Workload> = "vworkload.kb.io";

}  // namespace

WebhookAnswer ask_queueing_webhook(const KindInfo& kind, const void* now, const void* before, bool status) {
    static const KindColumn<Webhook> column(
        KindList<kueue::ClusterQueue, kueue::Cohort, kueue::ResourceFlavor, kueue::Workload>{}, []<class K>() {
            return Webhook{kWebhookName<K>, webhook_errors<K>};
        });
    const Webhook* webhook = column.find(kind);
    return webhook ? WebhookAnswer{webhook->name, webhook->ask(now, before, status)} : WebhookAnswer{};
}

std::string format_refusal(const FieldErrors& errors) {
    std::string text;
    for (const Cause& cause : errors.causes()) text += (text.empty() ? "" : ", ") + cause.field + ": " + cause.message;
    return errors.size() > 1 ? "[" + text + "]" : text;
}

Error denied_by_webhook(const WebhookAnswer& answer) {
    CHECK(!answer.errors.empty());
    return {Code::kForbidden, std::string("admission webhook \"") + answer.webhook +
                                  "\" denied the request: " + format_refusal(answer.errors)};
}

}  // namespace muster::api
