#include "client/change.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/event.h"
#include "api/kinds/kueue/kueue.h"

namespace muster::client {
namespace change_test {

using api::batch::Job;
using api::core::Event;
using api::kueue::Workload;

TEST(Change, TheFormIsWhatTheKindsServerTakes) {
    EXPECT_EQ(patch_form_of(api::kind_info<Job>()), PatchForm::kStrategicMerge);
    EXPECT_EQ(patch_form_of(api::kind_info<Event>()), PatchForm::kStrategicMerge);
    EXPECT_EQ(patch_form_of(api::kind_info<Workload>()), PatchForm::kMerge) << "a custom resource: 415 for the other";
}

template <class K>
std::string patch_between(const char* before, const char* after, Part part) {
    const K from = api::from_yaml<K>(before).value();
    const K to = api::from_yaml<K>(after).value();
    const api::KindInfo& kind = api::kind_info<K>();
    return format_change(kind, &from, &to, part, patch_form_of(kind)).value();
}

TEST(Change, ThePatchSaysOnlyWhatDiffers) {
    const struct {
        const char* sentence;
        const char* before;
        const char* after;
        Part part;
        const char* patch;
    } cases[] = {
        {"nothing differs", "{spec: {parallelism: 1}}", "{spec: {parallelism: 1}}", Part::kMain, "{}"},
        {"the version is a precondition and no change", "{metadata: {resourceVersion: '4'}, spec: {suspend: true}}",
         "{metadata: {resourceVersion: '4'}, spec: {suspend: false}}", Part::kMain,
         R"({"spec":{"suspend":false},"metadata":{"resourceVersion":"4"}})"},
        {"what is gone is null", "{spec: {activeDeadlineSeconds: 5, parallelism: 1}}", "{spec: {parallelism: 1}}",
         Part::kMain, R"({"spec":{"activeDeadlineSeconds":null}})"},
        {"the main part leaves the status alone", "{status: {active: 1}}",
         "{spec: {parallelism: 2}, status: {active: 2}}", Part::kMain, R"({"spec":{"parallelism":2}})"},
        {"the status leaves the rest alone", "{metadata: {name: a}}",
         "{metadata: {name: a, labels: {x: 'z'}}, spec: {parallelism: 2}, status: {active: 2}}", Part::kStatus,
         R"({"status":{"active":2}})"},
    };
    for (const auto& each : cases)
        EXPECT_EQ(patch_between<Job>(each.before, each.after, each.part), each.patch) << each.sentence;
}

TEST(Change, AListOfABuiltInKindMergesAndThatOfACustomResourceIsWhole) {
    const char* before = "{metadata: {finalizers: [a/b]}}";
    const char* after = "{metadata: {finalizers: [a/b, c/d]}}";
    EXPECT_EQ(patch_between<Job>(before, after, Part::kMain), R"({"metadata":{"finalizers":["c/d"]}})");
    EXPECT_EQ(patch_between<Workload>(before, after, Part::kMain), R"({"metadata":{"finalizers":["a/b","c/d"]}})");
}

TEST(Change, IsAppliedToWhatOthersHaveChangedMeanwhile) {
    const auto read = api::from_yaml<Event>("{metadata: {name: e}}").value();
    const auto after = api::from_yaml<Event>("{metadata: {name: e}, count: 3, message: again}").value();
    const auto present =
        api::from_yaml<Event>("{metadata: {name: e, resourceVersion: '9'}, count: 2, message: first, reason: Failed}")
            .value();
    Event result;
    ASSERT_TRUE(apply_change(api::kind_info<Event>(), &read, &after, &present, &result).ok());
    EXPECT_EQ(result.count, 3);
    EXPECT_EQ(result.message, "again");
    EXPECT_EQ(result.reason, "Failed");
    EXPECT_EQ(result.metadata.resource_version, "9");
}

}  // namespace change_test
}  // namespace muster::client
