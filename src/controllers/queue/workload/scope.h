// Which pods and Jobs queueing is for: by what the configuration says. And the way up a pod's
// owners, to those whose pods must not be queued again. Pure.
#pragma once

#include <functional>
#include <optional>

#include "api/configuration/kueue_configuration.h"
#include "api/kinds/meta/meta.h"

namespace muster::controllers {

using api::kueue::QueueConfiguration;

// kube-system and kueue-system, which are never touched, whatever the configuration says.
bool is_system_namespace(std::string_view name);
// managedJobsNamespaceSelector.
bool covers_namespace(const QueueConfiguration& configuration, std::string_view name, const Map<Text>* labels);
// And what the options for plain pods say besides.
bool covers_pod(const QueueConfiguration& configuration, std::string_view namespace_, const Map<Text>* namespace_labels,
                const Map<Text>& labels);

// What is known of an owner.
struct Owner {
    const api::meta::ObjectMeta* metadata = nullptr;
    bool managed = false;  // queued in its own right
};
// The owner that a reference in `namespace_` names, whatever its UID; nothing when there is none.
using FindOwner = std::function<std::optional<Owner>(std::string_view namespace_, const api::meta::OwnerReference&)>;

// Whether an object up the chain of controller references is queued: then that object waits, and this one does not. The
// UID of every reference must match, so that a made-up owner reference does not bypass the queue.
bool has_managed_owner(const api::meta::ObjectMeta& metadata, const FindOwner& find);

}  // namespace muster::controllers
