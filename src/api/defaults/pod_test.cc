#include "api/defaults/pod.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/schema/walk.h"

namespace muster::api {
namespace defaults_pod_test {

core::Pod read(const std::string& spec) {
    Result<core::Pod> pod =
        from_json<core::Pod>(R"({"metadata":{"name":"p","labels":{"app":"a"}},"spec":)" + spec + "}");
    CHECK(pod.ok(), spec + ": " + format_error(pod.error()));
    return std::move(pod).value();
}

core::Pod defaulted(const std::string& spec) {
    core::Pod pod = read(spec);
    default_pod(pod);
    return pod;
}

struct DefaultCase {
    const char* sentence;
    const char* given;
    const char* stands_for;
};

TEST(PodDefaults, WhatIsLeftOutIsFilledIn) {
    const DefaultCase cases[] = {
        {"the least there is", R"({"containers":[{"name":"c","image":"i:1"}]})",
         R"({"containers":[{"name":"c","image":"i:1","imagePullPolicy":"IfNotPresent",
              "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],
             "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",
             "securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true})"},
        {"ports speak TCP, and are the node's on its network",
         R"({"hostNetwork":true,"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}]}]})",
         R"({"hostNetwork":true,"containers":[{"name":"c","image":"i:1",
             "ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"}]}]})"},
        {"requests are the limits, rounded up to thousandths",
         R"({"containers":[{"name":"c","image":"i:1","resources":{"limits":{"cpu":"100n","memory":"1Gi"},"requests":{"cpu":"1n"}}}]})",
         R"({"containers":[{"name":"c","image":"i:1","resources":{"limits":{"cpu":"1m","memory":"1Gi"},
             "requests":{"cpu":"1m","memory":"1Gi"}}}]})"},
        {"probes have their numbers",
         R"({"containers":[{"name":"c","image":"i:1","livenessProbe":{"httpGet":{"port":80}},"startupProbe":{"grpc":{"port":1}},
             "lifecycle":{"preStop":{"httpGet":{"port":80}}}}]})",
         R"({"containers":[{"name":"c","image":"i:1",
             "livenessProbe":{"httpGet":{"port":80,"path":"/","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,
               "successThreshold":1,"failureThreshold":3},
             "startupProbe":{"grpc":{"port":1,"service":""},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,
               "failureThreshold":3},
             "lifecycle":{"preStop":{"httpGet":{"port":80,"path":"/","scheme":"HTTP"}}}}]})"},
        {"fields are those of v1",
         R"({"containers":[{"name":"c","image":"i:1","env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}]})",
         R"({"containers":[{"name":"c","image":"i:1","env":[{"name":"A",
             "valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}]}]})"},
        {"volumes have a kind and modes",
         R"({"containers":[{"name":"c","image":"i:1"}],"volumes":[{"name":"a"},{"name":"b","hostPath":{"path":"/x"}},
             {"name":"c","configMap":{"name":"m"}},{"name":"d","secret":{"secretName":"s"}},
             {"name":"e","downwardAPI":{"items":[{"path":"l","fieldRef":{"fieldPath":"metadata.labels"}}]}},
             {"name":"f","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}},{"name":"g","image":{"reference":"r"}},
             {"name":"h","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}]})",
         R"({"containers":[{"name":"c","image":"i:1"}],"volumes":[{"name":"a","emptyDir":{}},{"name":"b","hostPath":{"path":"/x","type":""}},
             {"name":"c","configMap":{"name":"m","defaultMode":420}},{"name":"d","secret":{"secretName":"s","defaultMode":420}},
             {"name":"e","downwardAPI":{"defaultMode":420,"items":[{"path":"l","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.labels"}}]}},
             {"name":"f","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"path":"t","expirationSeconds":3600}}]}},
             {"name":"g","image":{"reference":"r","pullPolicy":"Always"}},
             {"name":"h","ephemeral":{"volumeClaimTemplate":{"spec":{"volumeMode":"Filesystem"}}}}]})"},
        {"the old name of the service account goes along",
         R"({"serviceAccountName":"sa","containers":[{"name":"c","image":"i:1"}]})",
         R"({"serviceAccountName":"sa","serviceAccount":"sa","containers":[{"name":"c","image":"i:1"}]})"},
        {"the old name alone will do", R"({"serviceAccount":"sa","containers":[{"name":"c","image":"i:1"}]})",
         R"({"serviceAccountName":"sa","serviceAccount":"sa","containers":[{"name":"c","image":"i:1"}]})"},
        {"the pod as a whole asks for what its containers do, or for its limit",
         R"({"resources":{"limits":{"cpu":"4","memory":"1Gi"}},"containers":[
             {"name":"c","image":"i:1","resources":{"requests":{"cpu":"1"}}},{"name":"d","image":"i:1","resources":{"requests":{"cpu":"2"}}}]})",
         R"({"resources":{"limits":{"cpu":"4","memory":"1Gi"},"requests":{"cpu":"3","memory":"1Gi"}},"containers":[
             {"name":"c","image":"i:1","resources":{"requests":{"cpu":"1"}}},{"name":"d","image":"i:1","resources":{"requests":{"cpu":"2"}}}]})"},
    };
    for (const DefaultCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const core::Pod pod = defaulted(one.given);
        EXPECT_EQ(diff(defaulted(one.stands_for), pod), "");
        // Defaults are the same whether one says them or not, so the second form says all that the first gets.
        core::Pod again = pod;
        default_pod(again);
        EXPECT_EQ(diff(pod, again), "");
    }
}

TEST(PodDefaults, TheLeastThereIsReadsAsKubernetesAnswers) {
    core::Pod pod = defaulted(R"({"containers":[{"name":"c","image":"busybox"}]})");
    prepare_pod_create(pod);
    admit_default_tolerations(pod);
    admit_priority(pod, nullptr);
    const core::Pod want = read(
        R"({"containers":[{"name":"c","image":"busybox","resources":{},"terminationMessagePath":"/dev/termination-log",
            "terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always",
            "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
            "schedulerName":"default-scheduler","tolerations":[
              {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
              {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
            "priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"})");
    EXPECT_EQ(diff(want.spec, pod.spec), "");
    EXPECT_EQ(to_json(pod.status), R"({"phase":"Pending","qosClass":"BestEffort"})");
}

TEST(PodDefaults, ATemplateGetsLessThanAPod) {
    const core::Pod pod = read(
        R"({"hostNetwork":true,"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}],
            "resources":{"limits":{"cpu":"1"}}}]})");
    core::PodTemplateSpec pod_template{.metadata = pod.metadata, .spec = pod.spec};
    default_pod_template(pod_template);
    EXPECT_FALSE(pod_template.spec.enable_service_links);
    EXPECT_TRUE(pod_template.spec.containers[0].resources.requests.empty());
    EXPECT_EQ(pod_template.spec.containers[0].ports[0].host_port, 0);
    EXPECT_EQ(pod_template.spec.containers[0].ports[0].protocol, "TCP");
    EXPECT_EQ(pod_template.spec.restart_policy, "Always");
}

TEST(PodDefaults, APodOfADefaultedTemplateSharesItsParts) {
    const core::Pod first = defaulted(
        R"({"containers":[{"name":"c","image":"i:1","env":[{"name":"A","value":"1"}]}],"volumes":[{"name":"a","emptyDir":{}}]})");
    core::Pod second;
    second.spec = first.spec;
    default_pod(second);
    admit_default_tolerations(second);
    core::Pod third = defaulted(R"({"containers":[{"name":"d","image":"i:1"}]})");
    admit_default_tolerations(third);
    EXPECT_EQ(second.spec.containers.data(), first.spec.containers.data());
    EXPECT_EQ(second.spec.volumes.data(), first.spec.volumes.data());
    EXPECT_EQ(second.spec.security_context.get(), third.spec.security_context.get());
    EXPECT_EQ(second.spec.tolerations.data(), third.spec.tolerations.data());
}

TEST(PodDefaults, OnlyTheTagLatestIsAlwaysPulled) {
    struct {
        const char* image;
        bool latest;
    } const cases[] = {
        {"busybox", true},
        {"busybox:latest", true},
        {"busybox:1.36", false},
        {"registry.example.com:5000/a/b", true},
        {"registry.example.com:5000/a/b:v1", false},
        {"localhost/a__b", true},
        {"busybox@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"busybox:latest@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},
        {"", false},
        {"Busybox", false},
        {"a..b", false},
    };
    for (const auto& [image, latest] : cases) EXPECT_EQ(is_latest_image(image), latest) << image;
}

TEST(PodDefaults, GatesAreSaidInStatusAndLabelKeysJoinTheirSelectors) {
    core::Pod pod = defaulted(
        R"({"containers":[{"name":"c","image":"i:1"}],"schedulingGates":[{"name":"g"}],
            "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule",
              "labelSelector":{},"matchLabelKeys":["app","none"]}],
            "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
              {"topologyKey":"h","labelSelector":{},"mismatchLabelKeys":["app"]}]}}})");
    pod.status.phase = "Running";
    prepare_pod_create(pod);
    EXPECT_EQ(pod.status.phase, "Pending");
    ASSERT_EQ(pod.status.conditions.size(), 1u);
    EXPECT_EQ(pod.status.conditions[0].reason, "SchedulingGated");
    EXPECT_EQ(to_json(*pod.spec.topology_spread_constraints[0].label_selector),
              R"({"matchExpressions":[{"key":"app","operator":"In","values":["a"]}]})");
    EXPECT_EQ(to_json(*pod.spec.affinity->pod_anti_affinity->required_during_scheduling_ignored_during_execution[0]
                           .label_selector),
              R"({"matchExpressions":[{"key":"app","operator":"NotIn","values":["a"]}]})");
}

TEST(PodDefaults, ATolerationOfItsOwnStands) {
    core::Pod pod =
        defaulted(R"({"containers":[{"name":"c","image":"i:1"}],"tolerations":[{"key":"node.kubernetes.io/not-ready",
        "operator":"Exists","effect":"NoExecute"}]})");
    admit_default_tolerations(pod);
    ASSERT_EQ(pod.spec.tolerations.size(), 2u);
    EXPECT_FALSE(pod.spec.tolerations[0].toleration_seconds);
    EXPECT_EQ(pod.spec.tolerations[1].key, "node.kubernetes.io/unreachable");
    pod = defaulted(R"({"containers":[{"name":"c","image":"i:1"}],"tolerations":[{"operator":"Exists"}]})");
    admit_default_tolerations(pod);
    EXPECT_EQ(pod.spec.tolerations.size(), 1u);
}

TEST(PodDefaults, APriorityClassGivesPriorityAndPolicy) {
    scheduling::PriorityClass priority_class;
    priority_class.metadata.name = "gentle";
    priority_class.value = 7;
    priority_class.preemption_policy = Text("Never");
    core::Pod pod = defaulted(R"({"containers":[{"name":"c","image":"i:1"}]})");
    admit_priority(pod, &priority_class);
    EXPECT_EQ(pod.spec.priority_class_name, "gentle");
    EXPECT_EQ(pod.spec.priority, 7);
    EXPECT_EQ(*pod.spec.preemption_policy, "Never");
}

struct QosCase {
    const char* sentence;
    const char* spec;
    QosClass qos;
};

TEST(PodQos, ClassFollowsFromRequestsAndLimits) {
    const QosCase cases[] = {
        {"nothing asked for", R"({"containers":[{"name":"c"}]})", QosClass::kBestEffort},
        {"nothing but storage asked for",
         R"({"containers":[{"name":"c","resources":{"requests":{"ephemeral-storage":"1"}}}]})", QosClass::kBestEffort},
        {"zero is nothing", R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"0"}}}]})",
         QosClass::kBestEffort},
        {"limits for both", R"({"containers":[{"name":"c","resources":{"limits":{"cpu":"1","memory":"1"}}}]})",
         QosClass::kGuaranteed},
        {"less asked for than the limit",
         R"({"containers":[{"name":"c","resources":{"limits":{"cpu":"2","memory":"1"},"requests":{"cpu":"1"}}}]})",
         QosClass::kBurstable},
        {"a limit for one only", R"({"containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]})",
         QosClass::kBurstable},
        {"an init container without limits",
         R"({"containers":[{"name":"c","resources":{"limits":{"cpu":"1","memory":"1"}}}],"initContainers":[{"name":"i"}]})",
         QosClass::kBurstable},
        {"the pod as a whole goes first",
         R"({"resources":{"limits":{"cpu":"1","memory":"1"}},"containers":[{"name":"c"}]})", QosClass::kGuaranteed},
    };
    for (const QosCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        EXPECT_EQ(qos_class(defaulted(one.spec).spec), one.qos);
    }
}

TEST(PodResources, ContainersAndSidecarsRunTogetherAndInitContainersBeforeThem) {
    const core::Pod pod = read(
        R"({"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}},{"name":"b","resources":{"requests":{"cpu":"1"}}}],
            "initContainers":[{"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"1","memory":"1Gi"}}},
              {"name":"i","resources":{"requests":{"cpu":"5"}}}]})");
    const Map<Quantity> requests = container_requests(pod.spec);
    EXPECT_EQ(requests.find("cpu")->text(), "6");
    EXPECT_EQ(requests.find("memory")->text(), "1Gi");
}

}  // namespace defaults_pod_test
}  // namespace muster::api
