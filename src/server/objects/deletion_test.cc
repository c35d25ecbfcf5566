#include "server/objects/deletion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"

namespace muster::server {
namespace deletion_test {

using api::meta::DeleteOptions;
using api::meta::ObjectMeta;
using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);  // 2023-11-14T22:13:20Z
const api::KindInfo& kPods = api::kind_info<api::core::Pod>();
const api::KindInfo& kJobs = api::kind_info<api::batch::Job>();
const api::KindInfo& kConfigMaps = api::kind_info<api::core::ConfigMap>();

using api::GraceRules;
constexpr GraceRules kNoGrace{};
constexpr GraceRules kRuns{true, 30, false};
constexpr GraceRules kRunsNowhere{true, 30, true};

Result<DeletionPlan> decide(const api::KindInfo& kind, const char* metadata, const GraceRules& grace,
                            const char* options) {
    return decide_deletion(kind, api::from_yaml<ObjectMeta>(metadata).value(), grace,
                           api::from_yaml<DeleteOptions>(options).value(), kNow);
}

// "mark in 30s grace 30 generation 2 [a/b] remove warn", as far as it applies.
std::string print(const DeletionPlan& plan) {
    std::string line;
    if (plan.mark) {
        const ObjectMeta& metadata = plan.metadata;
        line += "mark in " + std::to_string((metadata.deletion_timestamp->instant() - kNow) / 1s) + "s grace " +
                std::to_string(metadata.deletion_grace_period_seconds.value_or(-1)) + " generation " +
                std::to_string(metadata.generation) + " [";
        for (const Text& finalizer : metadata.finalizers) line += (line.ends_with('[') ? "" : " ") + finalizer.str();
        line += "]";
    }
    if (plan.remove) line += line.empty() ? "remove" : " remove";
    if (plan.orphans_by_default) line += line.empty() ? "warn" : " warn";
    return line.empty() ? "nothing" : line;
}

struct PlanCase {
    const char* name;
    const api::KindInfo& kind;
    const char* metadata;
    GraceRules grace;
    const char* options;
    const char* want;
};

void check_plans(std::initializer_list<PlanCase> cases) {
    for (const PlanCase& one : cases) {
        SCOPED_TRACE(one.name);
        const auto plan = decide(one.kind, one.metadata, one.grace, one.options);
        ASSERT_TRUE(plan.ok()) << format_error(plan.error());
        EXPECT_EQ(print(*plan), one.want);
    }
}

TEST(Deletion, GivesTheGraceThatWasAskedForOrTheDefault) {
    check_plans({
        {"what has no grace goes at once", kConfigMaps, "{name: a}", kNoGrace, "{}", "remove"},
        {"grace that was asked for means nothing to it", kConfigMaps, "{name: a}", kNoGrace, "gracePeriodSeconds: 9",
         "remove"},
        {"a pod gets its own grace", kPods, "{generation: 1}", kRuns, "{}", "mark in 30s grace 30 generation 2 []"},
        {"or what the caller says", kPods, "{generation: 1}", kRuns, "gracePeriodSeconds: 5",
         "mark in 5s grace 5 generation 2 []"},
        {"which may be longer", kPods, "{generation: 1}", kRuns, "gracePeriodSeconds: 500",
         "mark in 500s grace 500 generation 2 []"},
        {"any number of seconds is allowed", kPods, "{generation: 1}", kRuns, "gracePeriodSeconds: 9223372036854775807",
         "mark in 3153600000s grace 9223372036854775807 generation 2 []"},
        {"none at all is seen, and then it goes", kPods, "{generation: 1}", kRuns, "gracePeriodSeconds: 0",
         "mark in 0s grace 0 generation 2 [] remove"},
        {"less than none is one second", kPods, "{generation: 1}", kRuns, "gracePeriodSeconds: -7",
         "mark in 1s grace 1 generation 2 []"},
        {"also by default", kPods, "{generation: 1}", GraceRules{true, -7, false}, "{}",
         "mark in 1s grace 1 generation 2 []"},
        {"what runs nowhere needs none", kPods, "{generation: 1}", kRunsNowhere, "{}",
         "mark in 0s grace 0 generation 2 [] remove"},
        {"whatever was asked for", kPods, "{generation: 1}", kRunsNowhere, "gracePeriodSeconds: 60",
         "mark in 0s grace 0 generation 2 [] remove"},
        {"a generation that is not counted stays uncounted", kPods, "{generation: 0}", kRuns, "{}",
         "mark in 30s grace 30 generation 0 []"},
    });
}

TEST(Deletion, CanOnlyShortenTheGraceThatWasGiven) {
    constexpr const char* kPending =  // 25 of 30 seconds are left
        "{generation: 2, deletionTimestamp: '2023-11-14T22:13:45Z', deletionGracePeriodSeconds: 30}";
    constexpr const char* kOver =
        "{generation: 2, deletionTimestamp: '2023-11-14T22:13:15Z', deletionGracePeriodSeconds: 0}";
    constexpr const char* kOverButHeld =
        "{generation: 2, deletionTimestamp: '2023-11-14T22:13:15Z', deletionGracePeriodSeconds: 0, finalizers: [a/b]}";
    check_plans({
        {"a second delete that says nothing changes nothing", kPods, kPending, kRuns, "{}", "nothing"},
        {"the same grace changes nothing", kPods, kPending, kRuns, "gracePeriodSeconds: 30", "nothing"},
        {"a longer one changes nothing", kPods, kPending, kRuns, "gracePeriodSeconds: 60", "nothing"},
        {"nor does a policy", kPods, kPending, kRuns, "propagationPolicy: Foreground", "nothing"},
        {"a shorter one counts from the first delete", kPods, kPending, kRuns, "gracePeriodSeconds: 10",
         "mark in 5s grace 10 generation 2 []"},
        {"one that is over already leaves a second", kPods, kPending, kRuns, "gracePeriodSeconds: 2",
         "mark in 0s grace 1 generation 2 []"},
        {"none ends it now", kPods, kPending, kRuns, "gracePeriodSeconds: 0",
         "mark in 0s grace 0 generation 2 [] remove"},
        {"less than none is a second", kPods, kPending, kRuns, "gracePeriodSeconds: -1",
         "mark in 0s grace 1 generation 2 []"},
        {"when the grace is over it goes", kPods, kOver, kRuns, "{}", "remove"},
        {"unless something holds it", kPods, kOverButHeld, kRuns, "gracePeriodSeconds: 0",
         "mark in -5s grace 0 generation 2 [a/b]"},
    });
}

TEST(Deletion, IsHeldByFinalizers) {
    check_plans({
        {"an object stays and says so", kConfigMaps, "{generation: 3, finalizers: [a/b]}", kNoGrace, "{}",
         "mark in 0s grace 0 generation 4 [a/b]"},
        {"its generation does not rise again", kConfigMaps,
         "{generation: 4, finalizers: [a/b], deletionTimestamp: '2023-11-14T22:13:15Z', deletionGracePeriodSeconds: 0}",
         kNoGrace, "{}", "mark in -5s grace 0 generation 4 [a/b]"},
        {"a pod has its grace too", kPods, "{generation: 1, finalizers: [a/b]}", kRuns, "{}",
         "mark in 30s grace 30 generation 2 [a/b]"},
        {"a pod without grace stays", kPods, "{generation: 1, finalizers: [a/b]}", kRuns, "gracePeriodSeconds: 0",
         "mark in 0s grace 0 generation 2 [a/b]"},
    });
}

TEST(Deletion, NotesWhatHappensToDependents) {
    check_plans({
        {"Foreground", kConfigMaps, "{}", kNoGrace, "propagationPolicy: Foreground",
         "mark in 0s grace 0 generation 0 [foregroundDeletion]"},
        {"Orphan", kConfigMaps, "{}", kNoGrace, "propagationPolicy: Orphan",
         "mark in 0s grace 0 generation 0 [orphan]"},
        {"Background", kConfigMaps, "{}", kNoGrace, "propagationPolicy: Background", "remove"},
        {"the old form of Orphan", kConfigMaps, "{}", kNoGrace, "orphanDependents: true",
         "mark in 0s grace 0 generation 0 [orphan]"},
        {"the old form of Background", kConfigMaps, "{finalizers: [orphan]}", kNoGrace, "orphanDependents: false",
         "remove"},
        {"others' finalizers keep their place", kConfigMaps, "{finalizers: [a/b]}", kNoGrace,
         "propagationPolicy: Orphan", "mark in 0s grace 0 generation 0 [a/b orphan]"},
        {"the last word counts", kConfigMaps, "{finalizers: [orphan, a/b]}", kNoGrace, "propagationPolicy: Foreground",
         "mark in 0s grace 0 generation 0 [a/b foregroundDeletion]"},
        {"also when it takes back", kConfigMaps, "{finalizers: [foregroundDeletion]}", kNoGrace,
         "propagationPolicy: Background", "remove"},
        {"without a word what was said stays: orphan", kConfigMaps, "{finalizers: [orphan]}", kNoGrace, "{}",
         "mark in 0s grace 0 generation 0 [orphan]"},
        {"without a word what was said stays: foreground", kConfigMaps, "{finalizers: [foregroundDeletion]}", kNoGrace,
         "{}", "mark in 0s grace 0 generation 0 [foregroundDeletion]"},
        {"a pod that waits for dependents is held after its grace", kPods, "{generation: 1}", kRunsNowhere,
         "propagationPolicy: Foreground", "mark in 0s grace 0 generation 2 [foregroundDeletion]"},
    });
}

TEST(Deletion, OfAJobKeepsItsPodsUnlessToldOtherwise) {
    check_plans({
        {"with a warning when nothing was said", kJobs, "{generation: 1}", kNoGrace, "{}",
         "mark in 0s grace 0 generation 2 [orphan] warn"},
        {"without when it was", kJobs, "{generation: 1}", kNoGrace, "propagationPolicy: Orphan",
         "mark in 0s grace 0 generation 2 [orphan]"},
        {"Background", kJobs, "{generation: 1}", kNoGrace, "propagationPolicy: Background", "remove"},
        {"Foreground", kJobs, "{generation: 1}", kNoGrace, "propagationPolicy: Foreground",
         "mark in 0s grace 0 generation 2 [foregroundDeletion]"},
        {"the old form", kJobs, "{generation: 1}", kNoGrace, "orphanDependents: false", "remove"},
        {"an earlier delete has said it", kJobs, "{generation: 1, finalizers: [foregroundDeletion]}", kNoGrace, "{}",
         "mark in 0s grace 0 generation 2 [foregroundDeletion]"},
    });
}

TEST(Deletion, RefusesWrongOptionsAndPreconditionsThatDoNotHold) {
    struct Case {
        const char* name;
        const char* options;
        Code code;
        const char* message;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"both forms of the policy", "{propagationPolicy: Orphan, orphanDependents: true}", Code::kInvalid,
              "orphanDependents and deletionPropagation cannot be both set"},
             {"a policy that is none", "propagationPolicy: Sideways", Code::kInvalid,
              "propagationPolicy: Unsupported value: \"Sideways\""},
             {"a dry run that is none", "dryRun: [Some]", Code::kInvalid, "dryRun: Unsupported value: \"Some\""},
             {"another uid", "preconditions: {uid: other}", Code::kConflict,
              "the UID in the precondition (other) does not match the UID in record (u1)"},
             {"another version", "preconditions: {resourceVersion: '8'}", Code::kConflict,
              "the ResourceVersion in the precondition (8) does not match the ResourceVersion in record (7)"},
             {"the right uid and another version", "preconditions: {uid: u1, resourceVersion: '8'}", Code::kConflict,
              "ResourceVersion"},
         }) {
        SCOPED_TRACE(one.name);
        const auto plan = decide(kConfigMaps, "{name: a, uid: u1, resourceVersion: '7'}", kNoGrace, one.options);
        ASSERT_FALSE(plan.ok());
        EXPECT_EQ(plan.error().code, one.code);
        EXPECT_THAT(plan.error().message, HasSubstr(one.message));
    }
    const auto plan = decide(kConfigMaps, "{name: a, uid: u1, resourceVersion: '7'}", kNoGrace,
                             "{preconditions: {uid: u1, resourceVersion: '7'}, dryRun: [All]}");
    EXPECT_TRUE(plan.ok());
}

TEST(Deletion, OptionsAreLookedAtBeforePreconditions) {
    const auto plan = decide(kConfigMaps, "{uid: u1}", kNoGrace, "{propagationPolicy: x, preconditions: {uid: u2}}");
    EXPECT_EQ(plan.error().code, Code::kInvalid);
}

TEST(GraceRules, OnlyPodsEndGracefully) {
    struct Case {
        const char* name;
        const char* pod;
        bool at_once;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"on a node", "{spec: {nodeName: a, terminationGracePeriodSeconds: 7}, status: {phase: Running}}", false},
             {"waiting on a node", "{spec: {nodeName: a, terminationGracePeriodSeconds: 7}}", false},
             {"on none", "{spec: {terminationGracePeriodSeconds: 7}, status: {phase: Pending}}", true},
             {"succeeded", "{spec: {nodeName: a, terminationGracePeriodSeconds: 7}, status: {phase: Succeeded}}", true},
             {"failed", "{spec: {nodeName: a, terminationGracePeriodSeconds: 7}, status: {phase: Failed}}", true},
         }) {
        SCOPED_TRACE(one.name);
        const auto pod = api::from_yaml<api::core::Pod>(one.pod).value();
        const GraceRules rules = api::find_rules(kPods)->grace(&pod);
        EXPECT_TRUE(rules.graceful);
        EXPECT_EQ(rules.default_seconds, 7);
        EXPECT_EQ(rules.at_once, one.at_once);
    }
    const api::batch::Job job;
    EXPECT_FALSE(api::find_rules(kJobs)->grace(&job).graceful);
}

TEST(DeleteOptions, ADeleteOfWhatCannotBeReadSaysNothingElse) {
    const struct {
        const char* options;
        Deletes deletes;
        const char* refused;  // null: allowed
    } cases[] = {
        {"{}", Deletes::kOne, nullptr},
        {"{}", Deletes::kMany, "is not allowed with DELETECOLLECTION"},
        {"{dryRun: [All]}", Deletes::kOne, "cannot be set together with .dryRun"},
        {"{propagationPolicy: Orphan}", Deletes::kOne, "cannot be set together with .propagationPolicy"},
        {"{orphanDependents: true}", Deletes::kOne, "cannot be set together with .orphanDependents"},
        {"{gracePeriodSeconds: 0}", Deletes::kOne, "cannot be set together with .gracePeriodSeconds"},
        {"{preconditions: {uid: u}}", Deletes::kOne, "cannot be set together with .preconditions"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.options);
        auto options = api::from_yaml<api::meta::DeleteOptions>(one.options).value();
        EXPECT_TRUE(check_delete_options(options, one.deletes).ok()) << "of objects that can be read";
        options.ignore_store_read_error_with_cluster_breaking_potential = true;
        const Result<> checked = check_delete_options(options, one.deletes);
        ASSERT_EQ(checked.ok(), one.refused == nullptr);
        if (!one.refused) continue;
        EXPECT_EQ(checked.error().code, Code::kInvalid);
        EXPECT_NE(checked.error().message.find(one.refused), std::string::npos) << checked.error().message;
    }
}

TEST(GoesWithUpdate, OnlyWhenNothingHoldsWhatIsBeingDeleted) {
    struct Case {
        const char* name;
        const char* now;
        const char* before;
        bool goes;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"not deleted", "{}", "{finalizers: [a/b]}", false},
             {"the last finalizer went", "{}",
              "{finalizers: [a/b], deletionTimestamp: '2023-11-14T22:13:15Z', deletionGracePeriodSeconds: 0}", true},
             {"a period that was never said is none", "{}",
              "{finalizers: [a/b], deletionTimestamp: '2023-11-14T22:13:15Z'}", true},
             {"one of two went", "{finalizers: [c/d]}",
              "{finalizers: [a/b, c/d], deletionTimestamp: '2023-11-14T22:13:15Z', deletionGracePeriodSeconds: 0}",
              false},
             {"it still has its grace", "{}",
              "{finalizers: [a/b], deletionTimestamp: '2023-11-14T22:13:15Z', deletionGracePeriodSeconds: 30}", false},
             {"the update alone says that it is deleted", "{deletionTimestamp: '2023-11-14T22:13:15Z'}", "{}", false},
         }) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(goes_with_update(api::from_yaml<ObjectMeta>(one.now).value(),
                                   api::from_yaml<ObjectMeta>(one.before).value()),
                  one.goes);
    }
}

}  // namespace deletion_test
}  // namespace muster::server
