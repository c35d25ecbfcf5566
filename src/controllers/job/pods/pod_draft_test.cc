#include "controllers/job/pods/pod_draft.h"

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/defaults/job.h"
#include "api/defaults/pod.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace pod_draft_test {

constexpr const char* kIndexKey = "batch.kubernetes.io/job-completion-index";

TEST(PodDraft, APlainPodIsTheTemplateWithOwnerAndFinalizer) {
    const Job job = api::make_job(
        "{'spec': {'template': {'metadata': {'labels': {'x': 'y'}, 'annotations': {'note': 'n'}, 'finalizers': "
        "['example.com/f']}}}}");
    const Pod pod = PodMold(job, true).make({});
    EXPECT_EQ(pod.metadata.namespace_, "n");
    EXPECT_EQ(pod.metadata.name, "");
    EXPECT_EQ(pod.metadata.generate_name, "j-") << "#105676: no index in the name of a plain pod";
    EXPECT_EQ(pod.metadata.labels, job.spec.template_.metadata.labels);
    EXPECT_EQ(*pod.metadata.labels.find("x"), "y");
    EXPECT_EQ(*pod.metadata.labels.find("job-name"), "j");
    EXPECT_EQ(*pod.metadata.labels.find("batch.kubernetes.io/controller-uid"), job.metadata.uid);
    EXPECT_EQ(pod.metadata.annotations, (Map<Text>{{"note", "n"}}));
    EXPECT_EQ(pod.metadata.finalizers, (List<Text>{"example.com/f", "batch.kubernetes.io/job-tracking"}));
    ASSERT_EQ(pod.metadata.owner_references.size(), 1u);
    const auto& owner = pod.metadata.owner_references[0];
    EXPECT_EQ(owner.api_version, "batch/v1");
    EXPECT_EQ(owner.kind, "Job");
    EXPECT_EQ(owner.uid, job.metadata.uid);
    EXPECT_EQ(owner.controller, true);
    EXPECT_EQ(owner.block_owner_deletion, true);
    EXPECT_EQ(pod.spec.containers.data(), job.spec.template_.spec.containers.data()) << "shared, not copied";
    EXPECT_EQ(pod.spec.hostname, "");
}

TEST(PodDraft, TheFinalizerIsThereOnceOrNotAtAll) {
    const Job job =
        api::make_job("{'spec': {'template': {'metadata': {'finalizers': ['batch.kubernetes.io/job-tracking']}}}}");
    EXPECT_EQ(PodMold(job, true).make({}).metadata.finalizers.size(), 1u);
    EXPECT_FALSE(has_tracking_finalizer(PodMold(api::make_job("{}"), false).make({})));
}

TEST(PodDraft, AnIndexedPodKnowsItsIndex) {
    const Job job = api::make_job(
        "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'template': {'spec': {'hostname': 'h', 'subdomain': "
        "'s', 'initContainers': [{'name': 'i', 'image': 'x'}], 'containers': [{'name': 'a', 'image': 'x'}, {'name': "
        "'b', 'image': 'x', 'env': [{'name': 'JOB_COMPLETION_INDEX', 'value': 'mine'}]}]}}}}");
    const PodMold mold(job, true);
    const Pod pod = mold.make({.index = 7});
    EXPECT_EQ(pod.metadata.generate_name, "j-7-");
    EXPECT_EQ(*pod.metadata.labels.find(kIndexKey), "7");
    EXPECT_EQ(*pod.metadata.annotations.find(kIndexKey), "7");
    EXPECT_EQ(pod.spec.hostname, "j-7");
    EXPECT_EQ(pod.spec.subdomain, "s");
    for (const auto* container : {&pod.spec.init_containers[0], &pod.spec.containers[0]}) {
        ASSERT_EQ(container->env.size(), 1u);
        EXPECT_EQ(container->env[0].name, "JOB_COMPLETION_INDEX");
        EXPECT_EQ(container->env[0].value_from->field_ref->field_path,
                  "metadata.labels['batch.kubernetes.io/job-completion-index']");
    }
    ASSERT_EQ(pod.spec.containers[1].env.size(), 1u) << "the name was taken";
    EXPECT_EQ(pod.spec.containers[1].env[0].value, "mine");
    EXPECT_FALSE(pod.metadata.annotations.contains("batch.kubernetes.io/job-index-failure-count"));
    EXPECT_EQ(pod.spec.containers.data(), mold.make({.index = 8}).spec.containers.data()) << "shared among pods";
    EXPECT_FALSE(job.spec.template_.metadata.labels.contains(kIndexKey)) << "the template stays as it was";
}

TEST(PodDraft, TheServersDefaultsLeaveContainersOfIndexedPodsShared) {
    Job job = api::make_job(
        "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'template': {'spec': {'restartPolicy': 'Never', "
        "'initContainers': [{'name': 'i', 'image': 'x'}], 'containers': [{'name': 'a', 'image': 'x'}]}}}}");
    api::default_job(job);
    const PodMold mold(job, true);
    const Pod made = mold.make({.index = 7});
    Pod stored = made;
    api::default_pod(stored);
    EXPECT_EQ(stored.spec.containers.data(), made.spec.containers.data());
    EXPECT_EQ(stored.spec.init_containers.data(), made.spec.init_containers.data());
}

TEST(PodDraft, FailuresOfItsIndexAreCarriedOn) {
    const Job job =
        api::make_job("{'spec': {'completionMode': 'Indexed', 'completions': 9, 'backoffLimitPerIndex': 3}}");
    const PodMold mold(job, true);
    const Pod first = mold.make({.index = 1});
    EXPECT_EQ(*first.metadata.annotations.find("batch.kubernetes.io/job-index-failure-count"), "0");
    EXPECT_FALSE(first.metadata.annotations.contains("batch.kubernetes.io/job-index-ignored-failure-count"));
    const Pod later = mold.make({.index = 1, .failures = 2, .ignored_failures = 4});
    EXPECT_EQ(*later.metadata.annotations.find("batch.kubernetes.io/job-index-failure-count"), "2");
    EXPECT_EQ(*later.metadata.annotations.find("batch.kubernetes.io/job-index-ignored-failure-count"), "4");
}

TEST(PodDraft, FieldsThatWeDoNotKnowGoFromTheTemplateToThePod) {
    constexpr const char* kJob =
        R"({"metadata":{"name":"j","uid":"u1"},"spec":{"completionMode":"Indexed","completions":9,"unknown-0":0,)"
        R"("template":{"spec":{"schedulingGroup":{"podGroupName":"g"},"unknown-1":[1],)"
        R"("containers":[{"name":"c","unknown-2":{"a":"b"},"volumeMounts":[{"name":"v","unknown-3":null}]}],)"
        R"("initContainers":[{"name":"i","unknown-4":true}],"affinity":{"unknown-5":5}}}}})";
    Job job;
    ASSERT_TRUE(api::decode_json(Job::info(), &job, kJob, {.keep_unknown = true}).ok());
    const Pod pod = PodMold(job, true).make({.index = 7});
    EXPECT_EQ(pod.spec.residue, job.spec.template_.spec.residue);
    const std::string text = api::to_json(pod);
    for (const char* field :
         {R"("schedulingGroup":{"podGroupName":"g"})", R"("unknown-1":[1])", R"("unknown-2":{"a":"b"})",
          R"("unknown-3":null)", R"("unknown-4":true)", R"("unknown-5":5)"})
        EXPECT_NE(text.find(field), std::string::npos) << field;
    EXPECT_EQ(text.find("unknown-0"), std::string::npos) << "a field of the Job is not one of its pods";
}

TEST(PodDraft, LongNamesAreCutSoThatTheIndexFits) {
    const std::string name(63, 'x');
    EXPECT_EQ(generate_name_of(name, 12), std::string(54, 'x') + "-12-");
    EXPECT_EQ(generate_name_of(name, 12).size(), 58u);
    EXPECT_EQ(generate_name_of("short", 99999), "short-99999-");
    EXPECT_EQ(generate_name_of(std::string(55, 'y'), 0), std::string(55, 'y') + "-0-");
}

}  // namespace pod_draft_test
}  // namespace muster::controllers::jobs
