// LimitRange and ResourceQuota: what one object, and what a whole namespace, may ask for.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/meta/meta.h"
#include "api/value/quantity.h"

namespace muster::api::core {

struct LimitRangeItem {
    TYPE(LimitRangeItem, "Bounds and defaults for one type of object.")
    FIELD(1, Text, type, "What is bounded: Pod, Container or PersistentVolumeClaim.", .required = true)
    FIELD(2, Map<Quantity>, max, "The most that may be asked for, by resource.")
    FIELD(3, Map<Quantity>, min, "The least that must be asked for, by resource.")
    FIELD(4, Map<Quantity>, default_, "Limits for containers that state none, by resource.", .json = "default")
    FIELD(5, Map<Quantity>, default_request, "Requests for containers that state none, by resource.")
    FIELD(6, Map<Quantity>, max_limit_request_ratio, "How many times its request a limit may be, by resource.")
};

struct LimitRangeSpec {
    TYPE(LimitRangeSpec, "Bounds on single objects.")
    FIELD(1, List<LimitRangeItem>, limits, "The bounds, all of which hold.", .required = true)
};

struct LimitRange {
    KIND(LimitRange, "Bounds and defaults for what single pods and containers of a namespace may ask for.",
         .plural = "limitranges", .short_names = "limits", .access = Access::kView, .created_by_update = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, LimitRangeSpec, spec, "The bounds.")
};

struct ScopedResourceSelectorRequirement {
    TYPE(ScopedResourceSelectorRequirement, "One demand on the objects that a quota counts.")
    FIELD(1, Text, scope_name, "The scope, such as PriorityClass.", .required = true,
          .one_of =
              "Terminating|NotTerminating|BestEffort|NotBestEffort|PriorityClass|CrossNamespacePodAffinity|"
              "VolumeAttributesClass")
    FIELD(2, Text, operator_, "How the object relates to the scope: In, NotIn, Exists or DoesNotExist.",
          .json = "operator", .required = true, .one_of = "In|NotIn|Exists|DoesNotExist")
    FIELD(3, List<Text>, values, "The values. At least one for In and NotIn, none for Exists and DoesNotExist.")
};

struct ScopeSelector {
    TYPE(ScopeSelector, "Selects the objects that a quota counts. All demands must hold.", .atomic = true)
    FIELD(1, List<ScopedResourceSelectorRequirement>, match_expressions, "The demands.")
};

struct ResourceQuotaSpec {
    TYPE(ResourceQuotaSpec, "What a namespace may use.")
    FIELD(1, Map<Quantity>, hard, "The most that may be used, by resource, such as requests.cpu or count/jobs.batch.")
    FIELD(2, List<Text>, scopes, "Counts only objects that are in all of these scopes. All objects by default.")
    FIELD(3, Box<ScopeSelector>, scope_selector, "Counts only objects that this selects, in addition to scopes.")
};

struct ResourceQuotaStatus {
    TYPE(ResourceQuotaStatus, "What a namespace uses.")
    FIELD(1, Map<Quantity>, hard, "The limits in force, by resource.")
    FIELD(2, Map<Quantity>, used, "What is in use, by resource.")
};

struct ResourceQuota {
    KIND(ResourceQuota, "Limits what all objects of a namespace together may use.", .plural = "resourcequotas",
         .short_names = "quota", .access = Access::kView, .counted_by_plural = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, ResourceQuotaSpec, spec, "The limits.")
    FIELD(3, ResourceQuotaStatus, status, "What is in use. Written by the server.")
};

}  // namespace muster::api::core
