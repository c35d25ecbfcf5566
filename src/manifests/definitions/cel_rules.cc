// The rules across fields of the queueing kinds that a schema can check, in CEL.
#include "manifests/definitions/field_rules.h"

namespace muster::manifests {
namespace {

// Whether a workload has this condition with status True.
std::string has_condition(const std::string& workload, const std::string& type) {
    return "has(" + workload + ".status) && has(" + workload + ".status.conditions) && " + workload +
           ".status.conditions.exists(c, c.type == '" + type + "' && c.status == 'True')";
}

// An optional field, or the value that its absence means.
std::string value_or(const std::string& field, const std::string& absent) {
    return "(has(" + field + ") ? " + field + " : " + absent + ")";
}

// The field is the same before and after.
std::string unchanged(const std::string& field, const std::string& absent) {
    return value_or("self." + field, absent) + " == " + value_or("oldSelf." + field, absent);
}

// While the condition holds before and after, `then` must hold.
std::string while_both(const std::string& type, const std::string& then) {
    return "!(" + has_condition("self", type) + ") || !(" + has_condition("oldSelf", type) + ") || " + then;
}

const char* const kClassStays =
    "(has(self.spec.priorityClassRef) == has(oldSelf.spec.priorityClassRef) && (!has(self.spec.priorityClassRef) || "
    "(self.spec.priorityClassRef.group == oldSelf.spec.priorityClassRef.group && "
    "self.spec.priorityClassRef.kind == oldSelf.spec.priorityClassRef.kind && "
    "(self.spec.priorityClassRef.group != 'scheduling.k8s.io' || "
    "self.spec.priorityClassRef.name == oldSelf.spec.priorityClassRef.name))))";

std::vector<CelRule> workload_rules() {
    return {
        {"Workload", "",
         "!has(self.status) || !has(self.status.admission) || !has(self.status.admission.podSetAssignments) || "
         "size(self.status.admission.podSetAssignments) == size(self.spec.podSets)",
         "status.admission must have one assignment for each of spec.podSets", true},
        {"Workload", "", while_both("QuotaReserved", unchanged("spec.queueName", "''")),
         "queueName cannot change while quota is reserved", true},
        {"Workload", "", "!(" + has_condition("oldSelf", "QuotaReserved") + ") || " + kClassStays,
         "priorityClassRef cannot change while quota is reserved", true},
        {"Workload", "", while_both("Admitted", unchanged("spec.maximumExecutionTimeSeconds", "0")),
         "maximumExecutionTimeSeconds cannot change while the workload is admitted", true},
        {"WorkloadSpec", "", "!has(self.priorityClassRef) || has(self.priority)",
         "priority is required with priorityClassRef", true},
        {"PriorityClassRef", "", "(self.group == 'scheduling.k8s.io') == (self.kind == 'PriorityClass')",
         "PriorityClass is of scheduling.k8s.io, WorkloadPriorityClass is of kueue.x-k8s.io"},
        {"PodSet", "", "!has(self.minCount) || self.minCount <= self.count", "minCount cannot be more than count"},
        {"WorkloadStatus", "",
         "!has(self.clusterName) || !has(self.nominatedClusterNames) || size(self.nominatedClusterNames) == 0",
         "clusterName and nominatedClusterNames exclude each other"},
        {"WorkloadStatus", "",
         "!has(oldSelf.clusterName) || !has(self.clusterName) || self.clusterName == oldSelf.clusterName",
         "clusterName cannot change once it is set"},
    };
}

std::vector<CelRule> queue_rules() {
    return {
        {"ResourceGroup", "", "self.flavors.all(f, size(f.resources) == size(self.coveredResources))",
         "every flavor must have the same number of resources as coveredResources"},
        {"ClusterQueueSpec", "",
         "(has(self.cohortName) && self.cohortName != '') || !has(self.resourceGroups) || "
         "self.resourceGroups.all(g, g.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit))))",
         "borrowingLimit needs a cohort", true},
        {"FlavorFungibility", "",
         "!has(self.preference) || "
         "(self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == 'TryNextFlavor')",
         "preference needs TryNextFlavor in whenCanBorrow and in whenCanPreempt"},
        {"ClusterQueuePreemption", "",
         "self.reclaimWithinCohort != 'Never' || !has(self.borrowWithinCohort) || "
         "self.borrowWithinCohort.policy == 'Never'",
         "borrowWithinCohort needs a reclaimWithinCohort other than Never"},
        {"Cohort", "", "!has(self.spec) || !has(self.spec.parentName) || self.spec.parentName != self.metadata.name",
         "a cohort cannot be its own parent"},
        {"LocalQueueSpec", "", unchanged("clusterQueue", "''"), "clusterQueue cannot change"},
        {"AdmissionCheckSpec", "controllerName", "self == oldSelf", "controllerName cannot change"},
        {"ResourceFlavorSpec", "", "!has(self.topologyName) || (has(self.nodeLabels) && size(self.nodeLabels) > 0)",
         "topologyName needs at least one of nodeLabels"},
        {"ResourceFlavorSpec", "",
         "!has(oldSelf.topologyName) || (has(self.topologyName) && self.topologyName == oldSelf.topologyName)",
         "topologyName cannot change once it is set"},
    };
}

}  // namespace

const std::vector<CelRule>& cel_rules() {
    static const std::vector<CelRule> all = [] {
        std::vector<CelRule> rules = queue_rules();
        for (CelRule& rule : workload_rules()) rules.push_back(std::move(rule));
        return rules;
    }();
    return all;
}

}  // namespace muster::manifests
