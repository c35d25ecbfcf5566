#include "controllers/queue/pods/group/gate.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/kueue/kueue_names.h"

namespace muster::controllers::podqueue {
namespace gate_test {

namespace kn = api::kueue;
using api::core::Pod;

Pod gate_pod(const std::string& metadata) {
    return api::from_yaml<Pod>("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, " + metadata +
                               "}, spec: {containers: [{name: c}]}}")
        .value();
}

std::string first_cause(const api::FieldErrors& errors) {
    return errors.empty() ? "" : errors.causes()[0].field + ": " + errors.causes()[0].message;
}

TEST(PodGate, IsForPodsWithAQueueInScope) {
    QueueConfiguration scope;
    const Pod queued = gate_pod("labels: {kueue.x-k8s.io/queue-name: q}");
    const Pod plain = gate_pod("labels: {a: b}");
    PodSurroundings around;
    EXPECT_TRUE(is_subject(queued, scope, around));
    EXPECT_FALSE(is_subject(plain, scope, around));

    around.default_queue = true;
    EXPECT_TRUE(is_subject(plain, scope, around)) << "a namespace with a default queue";
    around = {};
    scope.manage_jobs_without_queue_name = true;
    EXPECT_TRUE(is_subject(plain, scope, around));

    around.managed_owner = true;
    EXPECT_FALSE(is_subject(queued, scope, around)) << "its owner waits in its place";
    around = {};
    for (const char* space : {"kube-system", "kueue-system"}) {
        Pod system = queued;
        system.metadata.namespace_ = space;
        EXPECT_FALSE(is_subject(system, scope, around)) << space;
    }
    scope.pods = false;
    EXPECT_FALSE(is_subject(queued, scope, around)) << "the integration is off";
}

TEST(PodGate, IsForNamespacesAndPodsThatTheSelectorsSelect) {
    QueueConfiguration scope;
    PodSurroundings around;
    const Pod pod = gate_pod("labels: {kueue.x-k8s.io/queue-name: q, app: a}");
    const Map<Text> team{{"team", Text("x")}};
    around.namespace_labels = &team;
    scope.managed_jobs_namespace_selector = api::LabelSelector::parse("team=y").value();
    EXPECT_FALSE(is_subject(pod, scope, around));
    scope.managed_jobs_namespace_selector =
        api::LabelSelector::parse("kubernetes.io/metadata.name in (default)").value();
    EXPECT_TRUE(is_subject(pod, scope, around));
    scope.pod_namespace_selector = api::LabelSelector::parse("team=y").value();
    EXPECT_FALSE(is_subject(pod, scope, around));
    scope.pod_namespace_selector = api::LabelSelector::parse("team=x").value();
    EXPECT_TRUE(is_subject(pod, scope, around));
    scope.pod_selector = api::LabelSelector::parse("app!=a").value();
    EXPECT_FALSE(is_subject(pod, scope, around));
}

TEST(PodGate, AddsGateLabelFinalizerAndItsOwnHash) {
    Pod pod = gate_pod("annotations: {kueue.x-k8s.io/role-hash: spoofed}");
    PodSurroundings around;
    around.default_queue = true;
    admit_pod(pod, around);
    EXPECT_TRUE(is_gated(pod));
    EXPECT_TRUE(is_managed(pod));
    EXPECT_EQ(queue_of(pod), "default");
    ASSERT_EQ(pod.metadata.finalizers.size(), 1u);
    EXPECT_EQ(pod.metadata.finalizers[0], "kueue.x-k8s.io/managed");
    EXPECT_FALSE(*pod.metadata.annotations.find(kn::kRoleHashAnnotation) == "spoofed");
    const Pod once = pod;
    admit_pod(pod, around);
    EXPECT_EQ(pod, once) << "twice is once";
}

TEST(PodGate, RefusesWhatItCannotQueue) {
    struct Case {
        const char* name;
        const char* metadata;
        const char* says;
    };
    constexpr const char* kLabels = "labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: g}, ";
    const Case cases[] = {
        {"a queue that is no name", "labels: {kueue.x-k8s.io/queue-name: Q_}",
         "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value"},
        {"a managed label that says no", "labels: {kueue.x-k8s.io/managed: 'false'}",
         "metadata.labels[kueue.x-k8s.io/managed]: Forbidden"},
        {"a count without a group", "annotations: {kueue.x-k8s.io/pod-group-total-count: '2'}",
         "metadata.labels[kueue.x-k8s.io/pod-group-name]: Required"},
        {"a group without a count", "labels: {kueue.x-k8s.io/pod-group-name: g}",
         "metadata.annotations[kueue.x-k8s.io/pod-group-total-count]: Required"},
        {"no number", "annotations: {kueue.x-k8s.io/pod-group-total-count: two}",
         "metadata.annotations[kueue.x-k8s.io/pod-group-total-count]: Invalid value: \"two\""},
        {"less than one", "annotations: {kueue.x-k8s.io/pod-group-total-count: '0'}",
         "metadata.annotations[kueue.x-k8s.io/pod-group-total-count]: Invalid value: \"0\""},
        {"sets that cannot be read", "annotations: {kueue.x-k8s.io/pod-group-sets: '[{'}",
         "metadata.annotations[kueue.x-k8s.io/pod-group-sets]: Invalid value"},
        {"sets and a count that disagree",
         "annotations: {kueue.x-k8s.io/pod-group-sets: '[{name: a, count: 3}]', "
         "kueue.x-k8s.io/pod-group-total-count: '2'}",
         "must be the number of pods in kueue.x-k8s.io/pod-group-sets, 3"},
        {"a time that is none", "labels: {kueue.x-k8s.io/max-exec-time-seconds: soon, kueue.x-k8s.io/queue-name: q}",
         "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value"},
        {"a topology",
         "labels: {kueue.x-k8s.io/queue-name: q}, annotations: {kueue.x-k8s.io/podset-required-topology: rack}",
         "metadata.annotations[kueue.x-k8s.io/podset-required-topology]: Forbidden"},
        {"a Workload made beforehand that is not the group's",
         "labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: g, "
         "kueue.x-k8s.io/prebuilt-workload-name: w}, annotations: {kueue.x-k8s.io/pod-group-total-count: '1'}",
         "metadata.labels[kueue.x-k8s.io/prebuilt-workload-name]: Invalid value: \"w\": must be the name of the pod's "
         "group"},
        {"a gate that is no path",
         "labels: {kueue.x-k8s.io/queue-name: q}, annotations: {kueue.x-k8s.io/admission-gated-by: mine}",
         "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Invalid value: \"mine\""},
        {"the same gate twice",
         "labels: {kueue.x-k8s.io/queue-name: q}, annotations: {kueue.x-k8s.io/admission-gated-by: 'a.io/x, a.io/x'}",
         "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Invalid value: \"a.io/x, a.io/x\": duplicate gate "
         "name: a.io/x"},
        {"nothing between commas",
         "labels: {kueue.x-k8s.io/queue-name: q}, annotations: {kueue.x-k8s.io/admission-gated-by: 'a.io/x,'}",
         "cannot contain empty gate names"},
    };
    for (const Case& one : cases) {
        const bool own_labels = std::string(one.metadata).find("labels:") == 0;
        const bool wants_group = std::string(one.name) != "a count without a group" && !own_labels;
        const Pod pod = gate_pod((wants_group ? std::string(kLabels) : std::string()) + one.metadata);
        const std::string cause = first_cause(check_pod(pod, PodSurroundings()));
        EXPECT_NE(cause.find(one.says), std::string::npos) << one.name << ": " << cause;
    }
}

TEST(PodGate, UpdatesOfPodsThatDoNotSpeakOfQueuesAreNotRefused) {
    const Pod plain = gate_pod("labels: {a: b}, annotations: {kueue.x-k8s.io/workload: w}");
    EXPECT_FALSE(speaks_of_queueing(plain));
    EXPECT_EQ(first_cause(check_pod_update(plain, gate_pod("labels: {c: d}"), {})), "");
    const char* queued[] = {"labels: {kueue.x-k8s.io/queue-name: q}",
                            "labels: {kueue.x-k8s.io/managed: 'true'}",
                            "labels: {kueue.x-k8s.io/pod-group-name: g}",
                            "annotations: {kueue.x-k8s.io/pod-group-name: g}",
                            "annotations: {kueue.x-k8s.io/pod-group-total-count: '2'}",
                            "annotations: {kueue.x-k8s.io/pod-group-sets: '[]'}"};
    for (const char* each : queued) EXPECT_TRUE(speaks_of_queueing(gate_pod(each))) << each;
}

TEST(PodGate, LetsWorkersOfADrivenGroupLeaveTheCountOut) {
    PodSurroundings around;
    around.driven_group = true;
    EXPECT_EQ(first_cause(check_pod(gate_pod("labels: {kueue.x-k8s.io/pod-group-name: g}"), around)), "");
    EXPECT_EQ(first_cause(check_pod(gate_pod("labels: {kueue.x-k8s.io/pod-group-name: g, "
                                             "kueue.x-k8s.io/pod-group-role: workers}"),
                                    PodSurroundings())),
              "");
}

TEST(PodGate, KeepsThePlaceInTheQueueFromChange) {
    Pod waiting = gate_pod(
        "labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: g}, annotations: "
        "{kueue.x-k8s.io/pod-group-total-count: '1', kueue.x-k8s.io/retriable-in-group: 'false'}");
    admit_pod(waiting, PodSurroundings());
    Pod running = waiting;
    running.spec.scheduling_gates.reset();
    const auto says = [](const Pod& now, const Pod& before) {
        return first_cause(check_pod_update(now, before, PodSurroundings()));
    };
    EXPECT_EQ(says(running, waiting), "");

    Pod moved = waiting;
    moved.metadata.labels.set(kn::kQueueNameLabel, "other");
    EXPECT_EQ(says(moved, waiting), "") << "while it waits it may move";
    moved = running;
    moved.metadata.labels.set(kn::kQueueNameLabel, "other");
    EXPECT_EQ(says(moved, running),
              "metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"other\": field is immutable");

    Pod other = waiting;
    other.metadata.labels.set(kn::kPodGroupName, "h");
    EXPECT_EQ(says(other, waiting),
              "metadata.labels[kueue.x-k8s.io/pod-group-name]: Invalid value: \"h\": field is immutable");
    other = waiting;
    other.metadata.annotations.set(kn::kRoleHashAnnotation, "x");
    EXPECT_EQ(says(other, waiting),
              "metadata.annotations[kueue.x-k8s.io/role-hash]: Invalid value: \"x\": field is immutable");
    other = waiting;
    other.metadata.labels.erase(kn::kManagedLabel);
    EXPECT_NE(says(other, waiting), "");
    other = waiting;
    other.metadata.annotations.erase(kn::kRetriableInGroupAnnotation);
    EXPECT_NE(says(other, waiting), "");
    other.metadata.deletion_timestamp = api::Time::from_unix_seconds(1);
    EXPECT_EQ(says(other, waiting), "") << "what goes is let go";
}

TEST(PodGate, OnlyWaitingPodsCanJoinAGroup) {
    Pod waiting = gate_pod("labels: {kueue.x-k8s.io/queue-name: q}");
    admit_pod(waiting, PodSurroundings());
    Pod running = waiting;
    running.spec.scheduling_gates.reset();
    Pod ended = running;
    ended.status.phase = "Succeeded";
    const auto says_of_joining = [](const Pod& before) {
        Pod now = before;
        now.metadata.labels.set(kn::kPodGroupName, "g");
        now.metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, "1");
        return first_cause(check_pod_update(now, before, PodSurroundings()));
    };
    constexpr const char* kRefused =
        "metadata.labels[kueue.x-k8s.io/pod-group-name]: Invalid value: \"g\": field is immutable";
    EXPECT_EQ(says_of_joining(waiting), "");
    EXPECT_EQ(says_of_joining(running), kRefused);
    EXPECT_EQ(says_of_joining(ended), kRefused) << "what it did was not for a group";
}

TEST(PodGate, ExistingPodsCannotBePutIntoAQueue) {
    const Pod plain = gate_pod("labels: {app: a}");
    const auto says = [](const Pod& now, const Pod& before) {
        return first_cause(check_pod_update(now, before, PodSurroundings()));
    };
    constexpr const char* kRefused =
        "metadata.labels[kueue.x-k8s.io/managed]: Forbidden: only pods that are created can be put into a queue";
    Pod labelled = plain;
    labelled.metadata.labels.set(kn::kManagedLabel, "true");
    EXPECT_EQ(says(labelled, plain), kRefused);
    // A template may have brought the label: it says nothing by itself, and can be taken away.
    EXPECT_FALSE(is_managed(labelled));
    EXPECT_EQ(says(labelled, labelled), "");
    EXPECT_EQ(says(plain, labelled), "");
    Pod queued = labelled;
    queued.metadata.annotations.set(kn::kRoleHashAnnotation, "00000000");
    EXPECT_EQ(says(queued, labelled), kRefused);
}

TEST(PodGate, KnowsPodsThatAnAdmissionPolicyPutIntoAQueue) {
    const std::string label = "labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/managed: 'true'}";
    const Pod marked = gate_pod(label + ", annotations: {muster.dev/queued: 'true'}");
    EXPECT_TRUE(is_managed(marked));
    EXPECT_FALSE(is_managed(gate_pod(label)));
    EXPECT_FALSE(is_managed(gate_pod(label + ", annotations: {muster.dev/queued: 'false'}")));
    EXPECT_FALSE(is_managed(gate_pod("annotations: {muster.dev/queued: 'true'}")));

    Pod unmarked = marked;
    unmarked.metadata.annotations.erase(kn::kQueuedAnnotation);
    EXPECT_EQ(first_cause(check_pod_update(unmarked, marked, {})),
              "metadata.annotations[muster.dev/queued]: Invalid value: \"\": field is immutable");
    Pod put = gate_pod(label);
    put.metadata.annotations.set(kn::kQueuedAnnotation, kn::kTrue);
    EXPECT_EQ(first_cause(check_pod_update(put, gate_pod(label), {})),
              "metadata.labels[kueue.x-k8s.io/managed]: Forbidden: only pods that are created can be put into a queue");
}

TEST(PodGate, LooksForManagedOwnersByUid) {
    api::meta::ObjectMeta job;
    job.name = "job";
    job.uid = "job-uid";
    api::meta::ObjectMeta set;
    set.name = "set";
    set.uid = "set-uid";
    const auto reference = [](const char* kind, const char* uid) {
        api::meta::OwnerReference owner;
        owner.kind = kind;
        owner.uid = uid;
        owner.controller = true;
        return owner;
    };
    set.owner_references.edit().push_back(reference("Job", "job-uid"));
    const FindOwner find = [&](std::string_view, const api::meta::OwnerReference& owner) -> std::optional<Owner> {
        if (owner.kind == "Job") return Owner{&job, true};
        if (owner.kind == "Set") return Owner{&set, false};
        return std::nullopt;
    };
    api::meta::ObjectMeta pod;
    EXPECT_FALSE(has_managed_owner(pod, find));
    pod.owner_references = {reference("Set", "set-uid")};
    EXPECT_TRUE(has_managed_owner(pod, find)) << "at the second step";
    pod.owner_references = {reference("Job", "made-up")};
    EXPECT_FALSE(has_managed_owner(pod, find)) << "a made-up owner does not bypass the queue";
    set.owner_references = {reference("Set", "set-uid")};
    pod.owner_references = {reference("Set", "set-uid")};
    EXPECT_FALSE(has_managed_owner(pod, find)) << "a circle ends";
}

TEST(PodGate, GatesOfAdmissionGoAndNeverCome) {
    const auto with = [](const char* gates) {
        Pod pod = gate_pod("labels: {kueue.x-k8s.io/queue-name: q}");
        if (*gates) pod.metadata.annotations.set(kn::kAdmissionGatedByAnnotation, gates);
        admit_pod(pod, PodSurroundings());
        return pod;
    };
    const auto cause = [&](const char* now, const char* before) {
        return first_cause(check_pod_update(with(now), with(before), PodSurroundings()));
    };
    EXPECT_EQ(cause("a.io/x", "a.io/x,a.io/y"), "");
    EXPECT_EQ(cause("", "a.io/x"), "");
    EXPECT_NE(cause("a.io/x", "").find("cannot add admission gate after creation"), std::string::npos);
    EXPECT_NE(cause("a.io/x,a.io/z", "a.io/x,a.io/y").find("can only remove gates, not add new ones"),
              std::string::npos);
}

TEST(PodGate, GivesTheDefaultClassWhereThereIsOneAndNoneIsNamed) {
    PodSurroundings around;
    around.default_class = true;
    api::core::Pod pod;
    admit_pod(pod, around);
    EXPECT_EQ(*pod.metadata.labels.find("kueue.x-k8s.io/priority-class"), "default");
    api::core::Pod named;
    named.metadata.labels.set("kueue.x-k8s.io/priority-class", "high");
    admit_pod(named, around);
    EXPECT_EQ(*named.metadata.labels.find("kueue.x-k8s.io/priority-class"), "high");
    api::core::Pod without;
    admit_pod(without, PodSurroundings());
    EXPECT_FALSE(without.metadata.labels.contains("kueue.x-k8s.io/priority-class"));
}

TEST(PodGate, OfAPodThatItsParentSuspendsLeavesItWithoutAFinalizer) {
    api::core::Pod pod;
    pod.metadata.annotations.set("kueue.x-k8s.io/pod-suspending-parent", "statefulset");
    ASSERT_TRUE(is_suspended_by_parent(pod));
    podqueue::gate_pod(pod);
    EXPECT_TRUE(is_gated(pod));
    EXPECT_FALSE(is_held(pod));
    EXPECT_TRUE(pod.metadata.annotations.contains("kueue.x-k8s.io/role-hash"));
}

}  // namespace gate_test
}  // namespace muster::controllers::podqueue
