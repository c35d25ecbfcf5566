#include "server/objects/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/events.h"
#include "api/kinds/policy.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace objects_test {

using api::batch::Job;
using api::core::ConfigMap;
using api::core::Namespace;
using api::core::Pod;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ObjectsTest : testing::Test {
    ApiObjects api;

    // "created updated deleted": what a watch of that kind has seen since `from`.
    template <class K>
    std::string events_since(store::Revision from) {
        static constexpr const char* kNames[] = {"created", "updated", "deleted"};
        auto watch = api.store->watch(list_prefix(api::kind_info<K>(), ""), from, store::Visibility::kAtOnce).value();
        std::string line;
        while (const store::Event* event = watch->next().value())
            line += (line.empty() ? "" : " ") + std::string(kNames[static_cast<int>(event->type)]);
        return line;
    }
    void create_pod_on_node(const std::string& name, const std::string& metadata = "") {
        api.create<Pod>("metadata: {name: " + name + metadata +
                        "}\nspec: {nodeName: a, containers: [{name: c, image: busybox}]}");
    }
};

const WriteOptions kDryRun{nullptr, true, nullptr};

// #114366
TEST_F(ObjectsTest, AFinalizerGoesThoughTheObjectWouldBeRefusedToday) {
    create_pod_on_node("p", ", finalizers: [example.com/a, example.com/b]");
    const Text uid = api.get<Pod>("p").metadata.uid;
    const auto spoil = [](const KindObjectPtr& before) -> Result<std::shared_ptr<KindObject>> {
        Pod pod = ApiObjects::as<Pod>(before);
        pod.spec.containers.edit()[0].image = Text();
        pod.spec.dns_policy = Text();  // what a default has been given to since
        return std::shared_ptr<KindObject>(std::make_shared<TypedObject<Pod>>(std::move(pod)));
    };
    ASSERT_TRUE(api.objects.rewrite(ApiObjects::place<Pod>("p"), spoil, false).ok());

    const auto labelled = api.update<Pod>("p", [](Pod& pod) { pod.metadata.labels.set("a", "b"); });
    ASSERT_FALSE(labelled.ok());
    EXPECT_EQ(labelled.error().code, Code::kInvalid);
    const auto both = api.update<Pod>("p", [](Pod& pod) {
        pod.metadata.finalizers.edit().pop_back();
        pod.spec.containers.edit()[0].image = Text("busybox:2");
        pod.spec.priority = 7;
    });
    EXPECT_FALSE(both.ok()) << "nothing else goes along";
    const auto renamed = api.update<Pod>("p", [](Pod& pod) { pod.metadata.finalizers.edit()[0] = "example.com/c"; });
    EXPECT_FALSE(renamed.ok());

    const auto released = api.update<Pod>("p", [](Pod& pod) {
        pod.metadata.finalizers.edit().pop_back();
        pod.metadata.uid = Text();
    });
    ASSERT_TRUE(released.ok()) << format_error(released.error());
    EXPECT_THAT(api.get<Pod>("p").metadata.finalizers, ElementsAre("example.com/a"));
    EXPECT_EQ(api.get<Pod>("p").metadata.uid, uid);
}

TEST_F(ObjectsTest, CreateGivesAnObjectItsIdentity) {
    const auto outcome = api.try_create<Job>(
        std::string("metadata: {name: pi, uid: mine, resourceVersion: '99', generation: 9, creationTimestamp: "
                    "'2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z'}\n") +
        kJobSpec);
    ASSERT_TRUE(outcome.ok()) << format_error(outcome.error());
    const Job& job = ApiObjects::as<Job>(outcome->object);
    EXPECT_EQ(job.metadata.namespace_, "ns");
    EXPECT_THAT(job.metadata.uid.str(),
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_EQ(job.metadata.generation, 1);
    EXPECT_EQ(job.metadata.creation_timestamp, api::Time::from_instant(api.loop.now()));
    EXPECT_FALSE(job.metadata.deletion_timestamp);
    EXPECT_EQ(job.metadata.resource_version, std::to_string(outcome->revision));
    EXPECT_EQ(outcome->revision, api.store->revision());
    EXPECT_FALSE(outcome->gone);
    EXPECT_EQ(job.spec.parallelism, 1) << "defaults are filled in";
    EXPECT_EQ(&api.get<Job>("pi"), &job) << "what is answered is what is stored";
}

TEST_F(ObjectsTest, CreateRefusesWhatIsThereAlready) {
    api.create<ConfigMap>("metadata: {name: a}");
    for (const bool dry_run : {false, true}) {
        const auto again = api.try_create<ConfigMap>("metadata: {name: a}", {nullptr, dry_run, nullptr});
        ASSERT_FALSE(again.ok());
        EXPECT_EQ(again.error().code, Code::kAlreadyExists);
        EXPECT_EQ(again.error().message, "configmaps \"a\" already exists");
        EXPECT_EQ(again.error().about, (Subject{"a", "", "configmaps"}));
    }
}

TEST_F(ObjectsTest, CreateRefusesAnotherNamespaceAndWhatIsInvalid) {
    EXPECT_EQ(api.try_create<ConfigMap>("metadata: {name: a, namespace: m}").error().code, Code::kBadRequest);
    const auto invalid = api.try_create<Job>("{metadata: {name: UPPER}, spec: {template: {spec: {}}}}");
    ASSERT_FALSE(invalid.ok());
    EXPECT_EQ(invalid.error().code, Code::kInvalid);
    EXPECT_GE(invalid.error().causes.size(), 3u) << "all errors at once";
    EXPECT_EQ(invalid.error().about, (Subject{"UPPER", "batch", "Job"}));
    EXPECT_EQ(api.try_create<ConfigMap>("metadata: {}").error().code, Code::kInvalid) << "no name at all";
}

TEST_F(ObjectsTest, ANameIsMadeFromItsPrefix) {
    const auto one = api.create<ConfigMap>("metadata: {generateName: run-}").metadata;
    const auto two = api.create<ConfigMap>("metadata: {generateName: run-}").metadata;
    EXPECT_THAT(one.name.str(), testing::MatchesRegex("run-[bcdfghjklmnpqrstvwxz2456789]{5}"));
    EXPECT_NE(one.name.str(), two.name.str());
    const auto long_one = api.create<ConfigMap>("metadata: {generateName: " + std::string(80, 'x') + "}").metadata;
    EXPECT_EQ(long_one.name.size(), 63u);
    EXPECT_EQ(api.create<ConfigMap>("metadata: {name: own, generateName: run-}").metadata.name, "own");
}

// A chain that lets a made name through only at the given attempt; until then the name is taken.
TEST(ObjectsNames, AGeneratedNameThatIsTakenIsGeneratedAgain) {
    struct Case {
        int taken;
        bool made;
    };
    for (const Case& one : {Case{0, true}, Case{3, true}, Case{7, true}, Case{8, false}}) {
        SCOPED_TRACE(one.taken);
        int attempts = 0;
        std::vector<std::string> names;
        AdmissionChain chain;
        chain.validating.push_back([&](AdmissionRequest& request, const Objects&) -> Result<> {
            if (&request.kind != &api::kind_info<ConfigMap>()) return {};
            names.push_back(request.object->metadata().name.str());
            if (++attempts <= one.taken) return Error{Code::kAlreadyExists, "taken"};
            return {};
        });
        ApiObjects api({}, 0ns, std::move(chain));
        const auto outcome = api.try_create<ConfigMap>("{metadata: {generateName: run-}, data: {a: b}}");
        EXPECT_EQ(outcome.ok(), one.made);
        EXPECT_EQ(attempts, std::min(one.taken + 1, 8));
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
        if (!outcome.ok()) continue;
        EXPECT_EQ(ApiObjects::as<ConfigMap>(outcome->object).data.size(), 1u) << "a later attempt has all of the draft";
    }
}

TEST_F(ObjectsTest, AnUpdateOfAnotherVersionIsAConflict) {
    const std::string version = api.create<ConfigMap>("metadata: {name: a}").metadata.resource_version.str();
    struct Case {
        const char* name;
        std::string version;
        bool ok;
    };
    for (const Case& one : std::initializer_list<Case>{{"its own", version, true},
                                                       {"the one before", version, false},
                                                       {"none", "", true},
                                                       {"zero", "0", true},
                                                       {"one to come", "999", false},
                                                       {"no number", "x", false}}) {
        SCOPED_TRACE(one.name);
        const auto outcome = api.update<ConfigMap>("a", [&](ConfigMap& map) {
            map.metadata.resource_version = one.version;
            map.data.set("k", one.name);
        });
        ASSERT_EQ(outcome.ok(), one.ok);
        if (one.ok) {
            EXPECT_EQ(api.get<ConfigMap>("a").metadata.resource_version, std::to_string(outcome->revision));
        } else {
            EXPECT_EQ(outcome.error().code, Code::kConflict);
            EXPECT_EQ(outcome.error().message,
                      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply "
                      "your changes to the latest version and try again");
        }
    }
}

TEST_F(ObjectsTest, ABudgetIsNotReplacedWithoutItsVersion) {
    using api::policy::PodDisruptionBudget;
    api.create<PodDisruptionBudget>("{metadata: {name: a}, spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}}");
    const auto blind = api.update<PodDisruptionBudget>("a", [](PodDisruptionBudget& budget) {
        budget.metadata.resource_version = {};
        budget.metadata.labels.set("a", "b");
    });
    ASSERT_FALSE(blind.ok());
    EXPECT_EQ(blind.error().code, Code::kInvalid);
    EXPECT_THAT(blind.error().message, HasSubstr("metadata.resourceVersion: Invalid value: 0: must be specified"));
}

TEST_F(ObjectsTest, AnotherUidIsAConflictInAPutAndInvalidInAPatch) {
    api.create<ConfigMap>("metadata: {name: a}");
    const auto edit = [](const KindObjectPtr& before) -> Result<std::shared_ptr<KindObject>> {
        ConfigMap now = ApiObjects::as<ConfigMap>(before);
        now.metadata.uid = "other";
        return std::shared_ptr<KindObject>(std::make_shared<TypedObject<ConfigMap>>(std::move(now)));
    };
    const auto put =
        api.objects.update(ApiObjects::place<ConfigMap>("a"), Part::kMain, edit, SentUid::kPrecondition, {});
    ASSERT_FALSE(put.ok());
    EXPECT_EQ(put.error().code, Code::kConflict);
    EXPECT_THAT(put.error().message,
                HasSubstr("Precondition failed: UID in precondition: other, UID in object meta: "));
    const auto patch = api.objects.update(ApiObjects::place<ConfigMap>("a"), Part::kMain, edit, SentUid::kField, {});
    ASSERT_FALSE(patch.ok());
    EXPECT_EQ(patch.error().code, Code::kInvalid);
}

TEST_F(ObjectsTest, AnUpdateStaysWithItsPlace) {
    api.create<ConfigMap>("metadata: {name: a}");
    const auto renamed = api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.name = "b"; });
    EXPECT_EQ(renamed.error().code, Code::kBadRequest);
    EXPECT_EQ(renamed.error().message, "the name of the object (b) does not match the name on the URL (a)");
    const auto moved = api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.namespace_ = "m"; });
    EXPECT_EQ(moved.error().code, Code::kBadRequest);
    const auto nameless = api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.name = {}; });
    ASSERT_FALSE(nameless.ok());
    EXPECT_EQ(nameless.error().code, Code::kBadRequest);
    EXPECT_EQ(nameless.error().message,
              "the name of the object (a based on URL) was undeterminable: name must be provided");
    const auto absent = api.update<ConfigMap>("b", [](ConfigMap&) {});
    EXPECT_EQ(absent.error().code, Code::kNotFound);
    EXPECT_EQ(absent.error().message, "configmaps \"b\" not found");
}

TEST_F(ObjectsTest, AnUpdateThatChangesNothingKeepsTheVersionAndIsNoEvent) {
    const std::string version =
        api.create<Job>(std::string("metadata: {name: a}\n") + kJobSpec).metadata.resource_version.str();
    const store::Revision before = api.store->revision();
    const auto outcome = api.update<Job>("a", [](Job&) {});
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->object->metadata().resource_version, version);
    EXPECT_EQ(std::to_string(outcome->revision), version);
    ASSERT_TRUE(api.update<Job>("a", [](Job& job) { job.metadata.generation = 77; }).ok()) << "the server's to set";
    ASSERT_TRUE(api.update<Job>(
                       "a", [](Job&) {}, Part::kStatus)
                    .ok());
    EXPECT_EQ(api.store->revision(), before);
    EXPECT_EQ(events_since<Job>(before), "");
    ASSERT_TRUE(api.update<Job>("a", [](Job& job) { job.metadata.labels.set("a", "b"); }).ok());
    EXPECT_EQ(events_since<Job>(before), "updated");
}

TEST_F(ObjectsTest, AWriteOfOnePartCannotTouchTheOther) {
    api.create<Job>(std::string("metadata: {name: a}\n") + kJobSpec);
    const auto change_both = [](Job& job) {
        job.spec.suspend = true;
        job.status.active = 3;
    };
    ASSERT_TRUE(api.update<Job>("a", change_both, Part::kStatus).ok());
    EXPECT_EQ(api.get<Job>("a").spec.suspend, false);
    EXPECT_EQ(api.get<Job>("a").status.active, 3);
    EXPECT_EQ(api.get<Job>("a").metadata.generation, 1);
    ASSERT_TRUE(api.update<Job>("a",
                                [](Job& job) {
                                    job.spec.suspend = true;
                                    job.status.active = 9;
                                })
                    .ok());
    EXPECT_EQ(api.get<Job>("a").spec.suspend, true);
    EXPECT_EQ(api.get<Job>("a").status.active, 3);
    EXPECT_EQ(api.get<Job>("a").metadata.generation, 2);
}

TEST_F(ObjectsTest, ACreateCannotBringItsStatus) {
    EXPECT_EQ(api.create<Job>(std::string("metadata: {name: a}\nstatus: {active: 3}\n") + kJobSpec).status.active, 0);
}

TEST_F(ObjectsTest, AnInvalidStatusIsRefused) {
    api.create<Job>(std::string("metadata: {name: a}\n") + kJobSpec);
    const auto outcome = api.update<Job>(
        "a", [](Job& job) { job.status.active = -1; }, Part::kStatus);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, Code::kInvalid);
}

TEST_F(ObjectsTest, WhatNothingHoldsGoesAtOnce) {
    api.create<ConfigMap>("metadata: {name: a}");
    const store::Revision before = api.store->revision();
    const auto outcome = api.remove<ConfigMap>("a");
    ASSERT_TRUE(outcome.ok());
    EXPECT_TRUE(outcome->gone);
    EXPECT_EQ(outcome->revision, before + 1);
    EXPECT_EQ(events_since<ConfigMap>(before), "deleted");
    EXPECT_EQ(api.remove<ConfigMap>("a").error().code, Code::kNotFound);
}

TEST_F(ObjectsTest, FinalizersHoldAnObjectUntilTheLastIsTaken) {
    api.create<ConfigMap>("metadata: {name: a, finalizers: [a/one, a/two]}");
    const auto asked = api.remove<ConfigMap>("a");
    ASSERT_TRUE(asked.ok());
    EXPECT_FALSE(asked->gone);
    EXPECT_TRUE(asked->object->metadata().deletion_timestamp);
    const store::Revision before = api.store->revision();
    EXPECT_FALSE(api.remove<ConfigMap>("a")->gone);
    EXPECT_EQ(api.store->revision(), before) << "asking again changes nothing";
    const auto added =
        api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.finalizers.edit().push_back("a/x"); });
    EXPECT_EQ(added.error().code, Code::kInvalid) << "no new ones while it goes";
    EXPECT_FALSE(api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.finalizers = {"a/two"}; })->gone);
    const auto last = api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.finalizers = {}; });
    ASSERT_TRUE(last.ok());
    EXPECT_TRUE(last->gone);
    EXPECT_EQ(last->revision, api.store->revision());
    EXPECT_FALSE(api.find<ConfigMap>("a"));
    EXPECT_EQ(events_since<ConfigMap>(before), "updated deleted") << "the last update is the deletion itself";
}

TEST_F(ObjectsTest, FinalizersTakenFromWhatIsNotDeletedLeaveItThere) {
    api.create<ConfigMap>("metadata: {name: a, finalizers: [a/one]}");
    EXPECT_FALSE(api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.finalizers = {}; })->gone);
    EXPECT_TRUE(api.find<ConfigMap>("a"));
}

TEST_F(ObjectsTest, APodOnANodeGoesInTwoSteps) {
    create_pod_on_node("a");
    const store::Revision before = api.store->revision();
    const auto asked = api.remove<Pod>("a");
    EXPECT_FALSE(asked->gone);
    EXPECT_EQ(asked->object->metadata().deletion_grace_period_seconds, 30);
    EXPECT_EQ(asked->object->metadata().deletion_timestamp, api::Time::from_instant(api.loop.now() + 30s));
    EXPECT_TRUE(api.remove<Pod>("a", "gracePeriodSeconds: 0")->gone);
    EXPECT_EQ(events_since<Pod>(before), "updated updated deleted");
}

TEST_F(ObjectsTest, APodWithGraceIsNotTakenByItsLastFinalizer) {
    create_pod_on_node("a", ", finalizers: [a/one]");
    ASSERT_TRUE(api.remove<Pod>("a").ok());
    EXPECT_FALSE(api.update<Pod>("a", [](Pod& pod) { pod.metadata.finalizers = {}; })->gone);
    EXPECT_TRUE(api.remove<Pod>("a", "gracePeriodSeconds: 0")->gone);
}

TEST_F(ObjectsTest, AJobDeletedWithoutAWordWarnsThatItsPodsStay) {
    api.create<Job>(std::string("metadata: {name: a}\n") + kJobSpec);
    std::vector<std::string> warnings;
    const auto outcome = api.remove<Job>("a", "{}", {nullptr, false, &warnings});
    ASSERT_TRUE(outcome.ok());
    EXPECT_FALSE(outcome->gone);
    EXPECT_THAT(api.get<Job>("a").metadata.finalizers, ElementsAre("orphan"));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("child pods are preserved by default when jobs are deleted")));
    api.create<Job>(std::string("metadata: {name: b}\n") + kJobSpec);
    warnings.clear();
    EXPECT_TRUE(api.remove<Job>("b", "propagationPolicy: Background", {nullptr, false, &warnings})->gone);
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(ObjectsTest, ANamespaceGoesWhenItIsFinalized) {
    const store::Revision before = api.store->revision();
    const auto asked = api.remove<Namespace>("ns");
    ASSERT_TRUE(asked.ok());
    EXPECT_FALSE(asked->gone);
    EXPECT_EQ(api.get<Namespace>("ns").status.phase, "Terminating");
    EXPECT_TRUE(api.get<Namespace>("ns").metadata.deletion_timestamp);
    EXPECT_THAT(api.get<Namespace>("ns").spec.finalizers, ElementsAre("kubernetes"));
    EXPECT_FALSE(api.remove<Namespace>("ns")->gone) << "a second delete has to wait too";
    EXPECT_FALSE(api.update<Namespace>("ns", [](Namespace& space) { space.spec.finalizers = {}; })->gone)
        << "only finalize says that it is empty";
    EXPECT_THAT(api.get<Namespace>("ns").spec.finalizers, ElementsAre("kubernetes"));
    const auto finalized = api.update<Namespace>(
        "ns",
        [](Namespace& space) {
            space.spec.finalizers = {};
            space.metadata.labels.set("not", "here");
            space.status.phase = "Active";
        },
        Part::kFinalize);
    ASSERT_TRUE(finalized.ok()) << format_error(finalized.error());
    EXPECT_TRUE(finalized->gone);
    EXPECT_EQ(ApiObjects::as<Namespace>(finalized->object).status.phase, "Terminating");
    EXPECT_FALSE(api.find<Namespace>("ns"));
    EXPECT_EQ(events_since<Namespace>(before), "updated deleted");
}

TEST_F(ObjectsTest, FinalizeChangesNothingButTheFinalizers) {
    const auto outcome = api.update<Namespace>(
        "ns",
        [](Namespace& space) {
            space.spec.finalizers = {"kubernetes", "a/one"};
            space.metadata.labels.set("not", "here");
            space.status.phase = "Terminating";
        },
        Part::kFinalize);
    ASSERT_TRUE(outcome.ok()) << format_error(outcome.error());
    EXPECT_FALSE(outcome->gone);
    const Namespace& space = api.get<Namespace>("ns");
    EXPECT_THAT(space.spec.finalizers, ElementsAre("kubernetes", "a/one"));
    EXPECT_EQ(space.status.phase, "Active");
    EXPECT_FALSE(space.metadata.labels.find("not"));
}

TEST_F(ObjectsTest, ANamespaceWithFinalizersOfBothKindsNeedsBothGone) {
    api.create<Namespace>("metadata: {name: held, finalizers: [a/one]}");
    ASSERT_TRUE(api.remove<Namespace>("held").ok());
    const auto finalize = [](Namespace& space) { space.spec.finalizers = {}; };
    EXPECT_FALSE(api.update<Namespace>("held", finalize, Part::kFinalize)->gone);
    EXPECT_TRUE(api.update<Namespace>("held", [](Namespace& space) { space.metadata.finalizers = {}; })->gone);
}

TEST_F(ObjectsTest, ADryRunAnswersAndChangesNothing) {
    api.create<ConfigMap>("metadata: {name: a}");
    api.create<ConfigMap>("metadata: {name: held, finalizers: [a/one]}");
    create_pod_on_node("p");
    ASSERT_TRUE(api.remove<ConfigMap>("held").ok());
    const store::Revision before = api.store->revision();

    const auto created = api.try_create<ConfigMap>("metadata: {generateName: b-}", kDryRun);
    ASSERT_TRUE(created.ok());
    EXPECT_EQ(created->revision, 0u);
    EXPECT_EQ(created->object->metadata().resource_version, "");
    EXPECT_THAT(created->object->metadata().name.str(), testing::StartsWith("b-"));

    const auto updated = api.update<ConfigMap>(
        "a", [](ConfigMap& map) { map.data.set("k", "v"); }, Part::kMain, kDryRun);
    ASSERT_TRUE(updated.ok());
    EXPECT_EQ(ApiObjects::as<ConfigMap>(updated->object).data.size(), 1u);
    EXPECT_EQ(updated->object->metadata().resource_version, api.get<ConfigMap>("a").metadata.resource_version.str());

    const auto emptied = api.update<ConfigMap>(
        "held", [](ConfigMap& map) { map.metadata.finalizers = {}; }, Part::kMain, kDryRun);
    EXPECT_TRUE(emptied->gone);
    EXPECT_TRUE(api.remove<ConfigMap>("a", "{}", kDryRun)->gone);
    const auto pod = api.remove<Pod>("p", "{}", kDryRun);
    EXPECT_FALSE(pod->gone);
    EXPECT_TRUE(pod->object->metadata().deletion_timestamp);
    const auto space = api.remove<Namespace>("ns", "{}", kDryRun);
    EXPECT_EQ(ApiObjects::as<Namespace>(space->object).status.phase, "Terminating");

    EXPECT_EQ(api.store->revision(), before);
    EXPECT_TRUE(api.find<ConfigMap>("a"));
    EXPECT_TRUE(api.find<ConfigMap>("held"));
    EXPECT_FALSE(api.get<Pod>("p").metadata.deletion_timestamp);
    EXPECT_EQ(api.get<Namespace>("ns").status.phase, "Active");
    EXPECT_EQ(api.update<ConfigMap>(
                     "a", [](ConfigMap& map) { map.metadata.resource_version = "1"; }, Part::kMain, kDryRun)
                  .error()
                  .code,
              Code::kConflict)
        << "it fails as the real one would";
}

TEST_F(ObjectsTest, EventsOfBothGroupsAreTheSameObjects) {
    using NewEvent = api::events::Event;
    api.create<NewEvent>(
        "{metadata: {name: e}, eventTime: '2024-01-02T03:04:05.000006Z', reportingController: x/y, "
        "reportingInstance: i, action: A, reason: R, type: Normal, note: hello, regarding: {namespace: ns}}");
    EXPECT_EQ(api.get<api::core::Event>("e").message, "hello");
    EXPECT_EQ(ApiObjects::as<NewEvent>(api.find<NewEvent>("e")).note, "hello");
    EXPECT_EQ(api.get<api::core::Event>("e").metadata.resource_version,
              api.find<NewEvent>("e")->metadata().resource_version.str());
    EXPECT_EQ(api.try_create<api::core::Event>("{metadata: {name: e}, involvedObject: {namespace: ns}}").error().code,
              Code::kAlreadyExists);
    ASSERT_TRUE(api.update<NewEvent>("e", [](NewEvent& event) { event.metadata.labels.set("a", "b"); }).ok());
    EXPECT_TRUE(api.get<api::core::Event>("e").metadata.labels.find("a"));
    ASSERT_TRUE(api.remove<NewEvent>("e").ok());
    EXPECT_FALSE(api.find<api::core::Event>("e"));
}

TEST_F(ObjectsTest, WhatIsNotThereCannotBeRead) {
    const auto found = api.objects.get(ApiObjects::place<Job>("pi"));
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error(), (Error{Code::kNotFound, "jobs.batch \"pi\" not found", {}, {"pi", "batch", "jobs"}}));
}

}  // namespace objects_test
}  // namespace muster::server
