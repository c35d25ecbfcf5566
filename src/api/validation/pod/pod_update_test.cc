#include "api/validation/pod/pod_cases_test.h"

namespace muster::api {
namespace pod_update_test {

struct UpdateCase {
    const char* sentence;
    const char* container_before;
    const char* spec_before;
    const char* container_now;
    const char* spec_now;
    const char* causes;
};

TEST(PodUpdate, WhatMayChange) {
    const UpdateCase cases[] = {
        {"nothing", "", "", "", "", ""},
        {"the image", "", "", R"("image":"j:1")", "", ""},
        {"a deadline that is set", "", "", "", R"("activeDeadlineSeconds":5)", ""},
        {"a deadline that draws closer", "", R"("activeDeadlineSeconds":5)", "", R"("activeDeadlineSeconds":4)", ""},
        {"not a deadline that moves away", "", R"("activeDeadlineSeconds":5)", "", R"("activeDeadlineSeconds":6)",
         "Invalid spec.activeDeadlineSeconds\n"},
        {"not the lack of a deadline", "", R"("activeDeadlineSeconds":5)", "", "",
         "Invalid spec.activeDeadlineSeconds\n"},
        {"a toleration more, and the time of one", "",
         R"("tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":1}])", "",
         R"("tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":2},{"operator":"Exists"}])",
         ""},
        {"not a toleration less", "", R"("tolerations":[{"operator":"Exists"}])", "", "",
         "Forbidden spec.tolerations\n"},
        {"a gate less", "", R"("schedulingGates":[{"name":"a"},{"name":"b"}])", "",
         R"("schedulingGates":[{"name":"b"}])", ""},
        {"not a gate more", "", R"("schedulingGates":[{"name":"a"}])", "",
         R"("schedulingGates":[{"name":"a"},{"name":"b"}])", "Forbidden spec.schedulingGates[1].name\n"},
        {"a negative grace period that becomes one second", "", R"("terminationGracePeriodSeconds":-5)", "",
         R"("terminationGracePeriodSeconds":1)", ""},
        {"not any other grace period", "", R"("terminationGracePeriodSeconds":5)", "",
         R"("terminationGracePeriodSeconds":1)", "Forbidden spec\n"},
        {"the time to live after the end", "", R"("restartPolicy":"Never","ttlSecondsAfterFinished":5)", "",
         R"("restartPolicy":"Never","ttlSecondsAfterFinished":50)", ""},
        {"not the command", "", "", R"("command":["x"])", "", "Forbidden spec\n"},
        {"not the environment", "", "", R"("env":[{"name":"A","value":"1"}])", "", "Forbidden spec\n"},
        {"not the node selector of a pod that may be scheduled", "", "", "", R"("nodeSelector":{"a":"b"})",
         "Forbidden spec\n"},
        {"the node selector of a gated pod, to fewer nodes", "",
         R"("schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b"})", "",
         R"("schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b","c":"d"})", ""},
        {"not to other nodes", "", R"("schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b"})", "",
         R"("schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"c"})", "Invalid spec.nodeSelector\n"},
        {"the node affinity of a gated pod, from nothing", "", R"("schedulingGates":[{"name":"a"}])", "",
         R"("schedulingGates":[{"name":"a"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
            {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}})",
         ""},
        {"not to another test", "",
         R"("schedulingGates":[{"name":"a"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
            {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}})",
         "",
         R"("schedulingGates":[{"name":"a"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
            {"nodeSelectorTerms":[{"matchExpressions":[{"key":"b","operator":"Exists"}]}]}}})",
         "Invalid spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]\n"},
        {"not the affinity to pods", "", R"("schedulingGates":[{"name":"a"}])", "",
         R"("schedulingGates":[{"name":"a"}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
            [{"topologyKey":"z"}]}})",
         "Forbidden spec\n"},
        {"not the number of containers", "", "", "", R"("initContainers":[{"name":"i","image":"i"}])",
         "Forbidden spec.initContainers\n"},
    };
    for (const UpdateCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const core::Pod before = read_pod(pod_json(one.container_before, one.spec_before));
        const core::Pod now = read_pod(pod_json(one.container_now, one.spec_now));
        EXPECT_EQ(summary(validate_pod_update(now, before)), one.causes);
    }
}

TEST(PodUpdate, ARefusalSaysWhatMayChangeAndWhatDid) {
    const FieldErrors errors =
        validate_pod_update(read_pod(pod_json(R"("command":["x"])", "")), read_pod(pod_json("", "")));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors.causes()[0].message,
              "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
              "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
              "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
              "previously negative)\ncontainers[0].command[0]: (none) → \"x\"\n");
}

TEST(PodUpdate, TheMirrorAnnotationStays) {
    const core::Pod plain = read_pod(pod_json("", R"("nodeName":"n")"));
    const core::Pod mirror =
        read_pod(pod_json("", R"("nodeName":"n")", R"("annotations":{"kubernetes.io/config.mirror":"x"})"));
    EXPECT_EQ(summary(validate_pod_update(plain, mirror)),
              "Forbidden metadata.annotations[kubernetes.io/config.mirror]\n");
    EXPECT_EQ(summary(validate_pod_update(mirror, plain)),
              "Forbidden metadata.annotations[kubernetes.io/config.mirror]\n");
}

struct StatusCase {
    const char* sentence;
    const char* container;
    const char* spec;
    const char* status_before;
    const char* status_now;
    const char* causes;
};

constexpr const char* kFailed =
    R"({"containerStatuses":[{"name":"c","image":"i","imageID":"","ready":false,"restartCount":0,
        "state":{"terminated":{"exitCode":3}}}]})";
constexpr const char* kRunning =
    R"({"containerStatuses":[{"name":"c","image":"i","imageID":"","ready":true,"restartCount":1,"state":{"running":{}}}]})";

TEST(PodStatusUpdate, WhatHasEndedStaysEndedUnlessItRestarts) {
    const StatusCase cases[] = {
        {"a pod that never restarts", "", R"("restartPolicy":"Never")", kFailed, kRunning,
         "Forbidden status.containerStatuses[0].state\n"},
        {"a pod that restarts on failure", "", R"("restartPolicy":"OnFailure")", kFailed, kRunning, ""},
        {"a container that restarts in a pod that does not", R"("restartPolicy":"Always")",
         R"("restartPolicy":"Never")", kFailed, kRunning, ""},
        {"a container with a rule for this exit",
         R"("restartPolicy":"Never","restartPolicyRules":[{"action":"Restart","exitCodes":{"operator":"In","values":[3]}}])",
         R"("restartPolicy":"Never")", kFailed, kRunning, ""},
        {"a container with a rule for other exits",
         R"("restartPolicy":"Never","restartPolicyRules":[{"action":"Restart","exitCodes":{"operator":"NotIn","values":[3]}}])",
         R"("restartPolicy":"Never")", kFailed, kRunning, "Forbidden status.containerStatuses[0].state\n"},
        {"a start", "", R"("restartPolicy":"Never")", "{}", kRunning, ""},
    };
    for (const StatusCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        core::Pod before = read_pod(pod_json(one.container, one.spec));
        core::Pod now = before;
        before.status = from_json<core::PodStatus>(one.status_before).value();
        now.status = from_json<core::PodStatus>(one.status_now).value();
        EXPECT_EQ(summary(validate_pod_status_update(now, before)), one.causes);
    }
}

TEST(PodStatusUpdate, OtherRules) {
    const StatusCase cases[] = {
        {"conditions have names", "", "", "{}",
         R"({"conditions":[{"type":"e.com/a","status":"True"},{"type":"a b","status":"True"}]})",
         "Invalid status.conditions[1].Type\n"},
        {"the class of service stays", "", "", R"({"qosClass":"Burstable"})", R"({"qosClass":"Guaranteed"})",
         "Invalid status.qosClass\n"},
        {"addresses are one of each family", "", "", "{}", R"({"podIPs":[{"ip":"1.1.1.1"},{"ip":"::1"}]})", ""},
        {"two of a family are one too many", "", "", "{}", R"({"podIPs":[{"ip":"1.1.1.1"},{"ip":"1.1.1.2"}]})",
         "Invalid status.podIPs\n"},
        {"addresses are addresses", "", "", "{}", R"({"podIPs":[{"ip":"x"}]})", "Invalid status.podIPs[0]\n"},
        {"the node's first address is its address", "", "", "{}",
         R"({"hostIP":"1.1.1.1","hostIPs":[{"ip":"1.1.1.2"}]})", "Invalid status.hostIPs[0].ip\n"},
        {"a pod on a node needs no other node", "", R"("nodeName":"n")", "{}", R"({"nominatedNodeName":"m"})",
         "Forbidden status.nominatedNodeName\n"},
        {"a claim is of the pod", "", "", "{}", R"({"resourceClaimStatuses":[{"name":"x"}]})",
         "Invalid status.resourceClaimStatuses[0].name\n"},
    };
    for (const StatusCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        core::Pod before = read_pod(pod_json(one.container, one.spec));
        core::Pod now = before;
        before.status = from_json<core::PodStatus>(one.status_before).value();
        now.status = from_json<core::PodStatus>(one.status_now).value();
        EXPECT_EQ(summary(validate_pod_status_update(now, before)), one.causes);
    }
}

}  // namespace pod_update_test
}  // namespace muster::api
