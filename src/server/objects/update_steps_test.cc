#include "server/objects/update_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/coordination.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/namespace.h"

namespace muster::server {
namespace update_steps_test {

using api::core::ConfigMap;
using api::core::Namespace;
using api::meta::ObjectMeta;
using testing::HasSubstr;

template <class K>
std::shared_ptr<KindObject> object(std::string_view yaml) {
    return std::make_shared<TypedObject<K>>(api::from_yaml<K>(yaml).value());
}

TEST(SettleUpdate, ChecksNameNamespaceUidAndVersion) {
    const Place map{api::kind_info<ConfigMap>(), "ns", "a"};
    const Place space{api::kind_info<Namespace>(), "", "a"};
    const auto before = api::from_yaml<ObjectMeta>("{name: a, namespace: ns, uid: u, resourceVersion: '7'}").value();
    constexpr auto kPut = SentUid::kPrecondition;
    constexpr auto kPatch = SentUid::kField;
    const struct {
        const char* why;
        const Place& place;
        SentUid sent_uid;
        const char* now;
        std::optional<Code> refused;
        const char* version = "";
    } cases[] = {
        {"all is said, and is right", map, kPut, "{name: a, namespace: ns, uid: u, resourceVersion: '7'}", {}, "7"},
        {"only the name is said", map, kPut, "{name: a}", {}},
        {"version 0 is none", map, kPut, "{name: a, resourceVersion: '0'}", {}},
        {"no name", map, kPut, "{}", Code::kBadRequest},
        {"another name", map, kPut, "{name: b}", Code::kBadRequest},
        {"another namespace", map, kPut, "{name: a, namespace: m}", Code::kBadRequest},
        {"a namespace where there is none", space, kPut, "{name: a, namespace: m}", {}},
        {"another uid of a PUT", map, kPut, "{name: a, uid: x}", Code::kConflict},
        {"another uid of a PATCH is left to validation", map, kPatch, "{name: a, uid: x}", {}},
        {"another version", map, kPut, "{name: a, resourceVersion: '6'}", Code::kConflict},
        {"a wrong name goes before a wrong version", map, kPut, "{name: b, resourceVersion: '6'}", Code::kBadRequest},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.why);
        auto now = api::from_yaml<ObjectMeta>(one.now).value();
        const Result<> settled = settle_update(one.place, one.sent_uid, now, before);
        ASSERT_EQ(settled.ok(), !one.refused);
        if (one.refused) {
            EXPECT_EQ(settled.error().code, *one.refused);
            continue;
        }
        EXPECT_EQ(now.namespace_, one.place.namespace_);
        EXPECT_EQ(now.resource_version, one.version);
    }
}

TEST(SettleUpdate, SomeKindsMustSayTheirVersion) {
    const Place lease{api::kind_info<api::coordination::Lease>(), "ns", "a"};
    ASSERT_TRUE(lease.kind.options.version_required);
    const auto before = api::from_yaml<ObjectMeta>("{name: a, namespace: ns, resourceVersion: '7'}").value();
    for (const char* unsaid : {"{name: a}", "{name: a, resourceVersion: '0'}"}) {
        auto now = api::from_yaml<ObjectMeta>(unsaid).value();
        const Result<> settled = settle_update(lease, SentUid::kPrecondition, now, before);
        ASSERT_FALSE(settled.ok());
        EXPECT_EQ(settled.error().code, Code::kInvalid);
        EXPECT_THAT(settled.error().message,
                    HasSubstr("metadata.resourceVersion: Invalid value: 0: must be specified"));
    }
}

TEST(OnlyRemovesFinalizers, IsSaidOfNoOtherChange) {
    const auto before = object<ConfigMap>(
        "{metadata: {name: a, uid: u, resourceVersion: '7', finalizers: [a/one, a/two]}, data: {k: v}}");
    const struct {
        const char* why;
        const char* now;
        bool only;
    } cases[] = {
        {"one went", "{metadata: {name: a, uid: u, finalizers: [a/two]}, data: {k: v}}", true},
        {"both went", "{metadata: {name: a, uid: u}, data: {k: v}}", true},
        {"the uid and the version may be left out", "{metadata: {name: a, finalizers: [a/one]}, data: {k: v}}", true},
        {"nothing went", "{metadata: {name: a, finalizers: [a/one, a/two]}, data: {k: v}}", false},
        {"one was replaced", "{metadata: {name: a, finalizers: [a/three]}, data: {k: v}}", false},
        {"the data changed as well", "{metadata: {name: a, finalizers: [a/one]}, data: {k: w}}", false},
        {"a label came as well", "{metadata: {name: a, labels: {l: m}, finalizers: [a/one]}, data: {k: v}}", false},
        {"another uid", "{metadata: {name: a, uid: x, finalizers: [a/one]}, data: {k: v}}", false},
    };
    for (const auto& one : cases)
        EXPECT_EQ(only_removes_finalizers(*object<ConfigMap>(one.now), *before), one.only) << one.why;
}

TEST(PrepareUpdate, OfTheMainPartIsCheckedUnlessItOnlyRemovesFinalizers) {
    const Place place{api::kind_info<ConfigMap>(), "ns", "a"};
    const char* immutable = "{metadata: {name: a, namespace: ns, resourceVersion: '7'}, immutable: true, data: {k: v}}";
    const auto before = object<ConfigMap>(immutable);
    const char* changed = "{metadata: {name: a, namespace: ns, resourceVersion: '7'}, immutable: true, data: {k: w}}";
    const auto refused = prepare_update(place, Part::kMain, Checks::kAll, object<ConfigMap>(changed), *before, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kInvalid);
    EXPECT_TRUE(prepare_update(place, Part::kMain, Checks::kAll, object<ConfigMap>(immutable), *before, {}).ok());
    EXPECT_TRUE(prepare_update(place, Part::kMain, Checks::kNone, object<ConfigMap>(changed), *before, {}).ok());
}

TEST(PrepareUpdate, OfTheStatusKeepsAllElse) {
    const Place place{api::kind_info<Namespace>(), "", "a"};
    const auto before = object<Namespace>(
        "{metadata: {name: a, resourceVersion: '7'}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}");
    const char* draft = "{metadata: {name: a, resourceVersion: '7'}, status: {phase: Active, conditions: [{type: C}]}}";
    const auto prepared = prepare_update(place, Part::kStatus, Checks::kAll, object<Namespace>(draft), *before, {});
    ASSERT_TRUE(prepared.ok());
    EXPECT_EQ(as<Namespace>(*prepared->object).spec.finalizers.size(), 1u);
    EXPECT_EQ(as<Namespace>(*prepared->object).status.conditions.size(), 1u);
    const char* ended = "{metadata: {name: a, resourceVersion: '7'}, status: {phase: Terminating}}";
    const auto refused = prepare_update(place, Part::kStatus, Checks::kAll, object<Namespace>(ended), *before, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("may only be 'Active' if `deletionTimestamp` is empty"));
}

TEST(PrepareUpdate, OfFinalizeTakesTheFinalizersOfTheSpecAlone) {
    const Place place{api::kind_info<Namespace>(), "", "a"};
    const auto before = object<Namespace>(
        "{metadata: {name: a}, spec: {finalizers: [kubernetes, a.b/c]}, status: {phase: Terminating}}");
    const char* draft = "{metadata: {name: a, labels: {l: m}}, spec: {finalizers: [a.b/c]}, status: {phase: Active}}";
    const auto prepared = prepare_update(place, Part::kFinalize, Checks::kAll, object<Namespace>(draft), *before, {});
    ASSERT_TRUE(prepared.ok());
    const auto& stored = as<Namespace>(*prepared->object);
    EXPECT_THAT(stored.spec.finalizers, testing::ElementsAre("a.b/c"));
    EXPECT_EQ(stored.status.phase, "Terminating");
    EXPECT_TRUE(stored.metadata.labels.empty());
    const char* unqualified = "{metadata: {name: a}, spec: {finalizers: [x]}}";
    const auto refused =
        prepare_update(place, Part::kFinalize, Checks::kAll, object<Namespace>(unqualified), *before, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("spec.finalizers[0]: Invalid value: \"x\""));
}

TEST(IsLastUpdate, WhenTheObjectIsDeletedAndNeitherMetadataNorSpecHoldsIt) {
    const std::string deleted = "deletionTimestamp: '2023-11-14T22:13:15Z'";
    const struct {
        const char* why;
        std::string now;
        std::string before;
        bool last;
    } cases[] = {
        {"not deleted", "{metadata: {name: a}}", "{metadata: {name: a}}", false},
        {"nothing holds it", "{metadata: {name: a}}", "{metadata: {name: a, " + deleted + "}}", true},
        {"the spec holds it", "{spec: {finalizers: [kubernetes]}}", "{metadata: {name: a, " + deleted + "}}", false},
        {"the metadata holds it", "{metadata: {finalizers: [a/b]}}", "{metadata: {name: a, " + deleted + "}}", false},
    };
    for (const auto& one : cases)
        EXPECT_EQ(is_last_update(*object<Namespace>(one.now), *object<Namespace>(one.before)), one.last) << one.why;
}

}  // namespace update_steps_test
}  // namespace muster::server
