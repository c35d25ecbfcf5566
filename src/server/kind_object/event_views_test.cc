#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/events.h"
#include "server/kind_object/views.h"

namespace muster::server {
namespace event_views_test {

using CoreEvent = api::core::Event;
using NewEvent = api::events::Event;

constexpr const char* kReference = "kind: Pod, namespace: ns, name: p, uid: u, apiVersion: v1, fieldPath: spec.x";
const std::string kCommon =
    "metadata: {name: e, namespace: ns, uid: eu, labels: {a: b}}\n"
    "eventTime: '2024-01-02T03:04:05.000006Z'\n"
    "series: {count: 3, lastObservedTime: '2024-01-02T03:04:06.000007Z'}\n"
    "reportingInstance: instance\n"
    "action: Acting\n"
    "reason: Because\n"
    "related: {kind: Job, name: j}\n"
    "type: Warning\n";
const std::string kCoreOnly = std::string("involvedObject: {") + kReference +
                              "}\n"
                              "reportingComponent: reporter\n"
                              "message: it happened\n"
                              "source: {component: c, host: h}\n"
                              "firstTimestamp: '2024-01-02T03:04:07Z'\n"
                              "lastTimestamp: '2024-01-02T03:04:08Z'\n"
                              "count: 9\n";
const std::string kNewOnly = std::string("regarding: {") + kReference +
                             "}\n"
                             "reportingController: reporter\n"
                             "note: it happened\n"
                             "deprecatedSource: {component: c, host: h}\n"
                             "deprecatedFirstTimestamp: '2024-01-02T03:04:07Z'\n"
                             "deprecatedLastTimestamp: '2024-01-02T03:04:08Z'\n"
                             "deprecatedCount: 9\n";

template <class K>
std::string json_of(const KindObject& object) {
    return api::to_json(as<K>(object));
}

TEST(EventViews, BothFormsAreStoredAsCoreEvents) {
    EXPECT_EQ(&stored_kind(api::kind_info<NewEvent>()), &api::kind_info<CoreEvent>());
    EXPECT_EQ(&stored_kind(api::kind_info<CoreEvent>()), &api::kind_info<CoreEvent>());
    EXPECT_EQ(&stored_kind(api::kind_info<api::core::Pod>()), &api::kind_info<api::core::Pod>());
}

TEST(EventViews, EveryFieldOfTheNewFormIsStoredInCores) {
    // Should the kinds get another field, these tests must learn of it.
    ASSERT_EQ(NewEvent::info().fields.size(), 15u);
    ASSERT_EQ(CoreEvent::info().fields.size(), 15u);
    const auto draft = std::make_shared<TypedObject<NewEvent>>(api::from_yaml<NewEvent>(kCommon + kNewOnly).value());
    const auto stored = as_stored(draft);
    ASSERT_EQ(&stored->kind(), &api::kind_info<CoreEvent>());
    EXPECT_EQ(json_of<CoreEvent>(*stored), api::to_json(api::from_yaml<CoreEvent>(kCommon + kCoreOnly).value()));
}

TEST(EventViews, EveryFieldOfCoresIsSeenInTheNewForm) {
    const auto stored =
        std::make_shared<TypedObject<CoreEvent>>(api::from_yaml<CoreEvent>(kCommon + kCoreOnly).value());
    const KindObjectPtr seen = as_kind(stored, api::kind_info<NewEvent>());
    ASSERT_EQ(&seen->kind(), &api::kind_info<NewEvent>());
    EXPECT_EQ(json_of<NewEvent>(*seen), api::to_json(api::from_yaml<NewEvent>(kCommon + kNewOnly).value()));
}

TEST(EventViews, AnEmptyEventStaysEmptyBothWays) {
    const auto stored = as_stored(std::make_shared<TypedObject<NewEvent>>());
    EXPECT_EQ(json_of<CoreEvent>(*stored), api::to_json(CoreEvent{}));
    EXPECT_EQ(json_of<NewEvent>(*as_kind(stored, api::kind_info<NewEvent>())), api::to_json(NewEvent{}));
}

TEST(EventViews, LeaveEverythingElseAlone) {
    const auto event = std::make_shared<TypedObject<CoreEvent>>();
    EXPECT_EQ(as_kind(event, api::kind_info<CoreEvent>()), event);
    EXPECT_EQ(as_stored(event), event);
    const auto pod = std::make_shared<TypedObject<api::core::Pod>>();
    EXPECT_EQ(as_kind(pod, api::kind_info<api::core::Pod>()), pod);
    EXPECT_EQ(as_stored(pod), pod);
    EXPECT_EQ(as_kind(nullptr, api::kind_info<NewEvent>()), nullptr);
}

}  // namespace event_views_test
}  // namespace muster::server
