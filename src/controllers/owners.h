// Whose an object is: the owner references that controllers write, and how they read them.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::controllers {

struct OwnerKind {
    const char* api_version;
    const char* kind;
};
constexpr OwnerKind kPodOwner{"v1", "Pod"};
constexpr OwnerKind kJobOwner{"batch/v1", "Job"};
constexpr OwnerKind kCronJobOwner{"batch/v1", "CronJob"};

// One of possibly several owners.
api::meta::OwnerReference owner_reference(const OwnerKind& kind, const api::meta::ObjectMeta& owner);
// The owner that manages the object. It blocks: a foreground deletion of the owner waits for the object.
api::meta::OwnerReference controller_reference(const OwnerKind& kind, const api::meta::ObjectMeta& owner);

// The owner that manages the object, or null.
const api::meta::OwnerReference* controller_of(const api::meta::ObjectMeta& metadata);
// The same, when it is of this kind.
const api::meta::OwnerReference* controller_of(const api::meta::ObjectMeta& metadata, const OwnerKind& kind);

}  // namespace muster::controllers
