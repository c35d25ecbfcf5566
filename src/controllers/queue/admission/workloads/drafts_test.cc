#include "controllers/queue/admission/workloads/drafts.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {
namespace drafts_test {

using api::kueue::Workload;

const Instant kNow = Instant::from_unix_seconds(1'000'000);

Workload waiting_workload() {
    Workload workload = api::from_yaml<Workload>(
                            "{metadata: {name: w, namespace: team, uid: u, generation: 3}, spec: {queueName: l, "
                            "podSets: [{name: main, count: 1}]}}")
                            .value();
    workload.metadata.creation_timestamp = api::Time::from_instant(kNow - 7s);
    return workload;
}

std::vector<PodSetChoice> one_core(Names& names) {
    PodSetChoice choice;
    choice.count = 1;
    choice.choices.push_back({names.resource("cpu"), names.flavor("f"), 1000});
    return {choice};
}

TEST(WorkloadDrafts, AdmitAWorkloadWithoutChecksAtOnce) {
    Names names;
    const WorkloadDraft draft = draft_admission(waiting_workload(), "q", nullptr, one_core(names), names, kNow);
    EXPECT_TRUE(has_reservation(draft.workload->status));
    EXPECT_TRUE(is_admitted(draft.workload->status));
    EXPECT_EQ(draft.workload->status.admission->cluster_queue, "q");
    EXPECT_EQ(draft.told.reason, "Admitted");
    EXPECT_FALSE(draft.spec);
}

TEST(WorkloadDrafts, ReserveQuotaForAWorkloadWithChecks) {
    Names names;
    const auto queue = api::from_yaml<api::kueue::ClusterQueue>(
                           "{metadata: {name: q}, spec: {admissionChecksStrategy: {admissionChecks: [{name: c}]}}}")
                           .value();
    const WorkloadDraft draft = draft_admission(waiting_workload(), "q", &queue, one_core(names), names, kNow);
    EXPECT_TRUE(has_reservation(draft.workload->status));
    EXPECT_FALSE(is_admitted(draft.workload->status));
    ASSERT_EQ(draft.workload->status.admission_checks.size(), 1u);
    EXPECT_EQ(draft.told.reason, "QuotaReserved");
    EXPECT_NE(draft.told.message.find("7s"), std::string::npos) << "how long it waited: " << draft.told.message;
}

TEST(WorkloadDrafts, SayWhichWorkloadPreemptedAnother) {
    Workload preemptor = waiting_workload();
    preemptor.metadata.uid = "preemptor";
    PreemptionFacts facts;
    facts.reason = PreemptReason::kInCohortReclamation;
    facts.preemptor_queue = "q";
    facts.preemptor_path = "/root/q";
    facts.victim_path = "/root/r";
    const WorkloadDraft draft = draft_preemption(waiting_workload(), preemptor, facts, kNow);
    EXPECT_TRUE(is_evicted(draft.workload->status));
    EXPECT_EQ(find_condition(draft.workload->status, "Preempted")->reason, "InCohortReclamation");
    EXPECT_EQ(draft.told.evicted_for, "Preempted");
    EXPECT_EQ(draft.told.preempt_reason, "InCohortReclamation");
    for (const char* part : {"preemptor", "UNKNOWN", "/root/q", "/root/r"})
        EXPECT_NE(draft.told.message.find(part), std::string::npos) << part << ": " << draft.told.message;
}

TEST(WorkloadDrafts, StoreTheStatusOrTheSpecOfALifecyclePlan) {
    LifecyclePlan plan;
    plan.deactivate = true;
    const WorkloadDraft off = draft_lifecycle(waiting_workload(), plan);
    EXPECT_TRUE(off.spec);
    EXPECT_EQ(off.workload->spec.active, false);
    plan.status = api::kueue::WorkloadStatus();
    plan.evicted_for = "Deactivated";
    const WorkloadDraft evicted = draft_lifecycle(waiting_workload(), plan);
    EXPECT_FALSE(evicted.spec) << "the status goes first";
    EXPECT_EQ(evicted.workload->spec.active, std::nullopt);
    EXPECT_EQ(evicted.told.evicted_for, "Deactivated");
    EXPECT_DEATH(draft_lifecycle(waiting_workload(), LifecyclePlan()), "stores nothing");
}

TEST(WorkloadDrafts, ExplainOnceWhyAWorkloadWaits) {
    const Workload workload = waiting_workload();
    const auto first = draft_explanation(workload, "Pending", "2 more needed", {}, kNow);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->told.message, "2 more needed");
    EXPECT_FALSE(draft_explanation(*first->workload, "Pending", "2 more needed", {}, kNow)) << "it says so already";
    const auto numbers = draft_explanation(*first->workload, "Pending", "1 more needed", {}, kNow);
    ASSERT_TRUE(numbers);
    EXPECT_TRUE(numbers->told.reason.empty()) << "no event for other numbers";
    const auto other = draft_explanation(*first->workload, "Misconfigured", "no flavor", {}, kNow);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->told.reason, "Misconfigured");
}

}  // namespace drafts_test
}  // namespace muster::controllers::queue
