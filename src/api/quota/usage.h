// What objects use of the ResourceQuotas of their namespace, by the names that quotas have: count/jobs.batch, pods,
// requests.cpu, limits.memory, requests.example.com/gpu, services.nodeports, requests.storage and so on. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/kinds/core/quota.h"
#include "api/schema/kind_info.h"

namespace muster::api {

// The kinds whose objects quotas count: all that live in namespaces, without events.
const std::vector<const KindInfo*>& counted_kinds();

// The kind whose objects use a resource; null when no kind that is served does.
const KindInfo* user_of_resource(std::string_view resource);

// Of a kind whose objects use more than their own number: pods, services, claims. All others count by metadata alone.
struct QuotaContent {
    const meta::ObjectMeta& (*metadata)(const void* object);
    void (*add)(const void* object, Map<Quantity>& usage);
    // What a new object must state under a quota and does not; empty when all is stated.
    std::string (*check_stated)(const void* object, const Map<Quantity>& hard);
};
// Null when the number is all.
const QuotaContent* find_quota_content(const KindInfo& kind);

// What an object of a counted kind uses. A pod that has ended uses nothing but its own count.
Map<Quantity> usage_of(const KindInfo& kind, const void* object);

// Which of the quota's resources containers do not state although they must ("must specify limits.cpu for: a,b"); empty
// when all is stated.
std::string check_stated(const core::PodSpec& spec, const Map<Quantity>& hard);

}  // namespace muster::api
