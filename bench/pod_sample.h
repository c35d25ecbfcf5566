// A pod as a cluster would show it, about 2 KB of JSON: what the codec benchmarks read and write.
#pragma once

#include <string_view>

namespace muster::bench {

inline constexpr std::string_view kPodJson =
    R"pod({"kind":"Pod","apiVersion":"v1","metadata":{"name":"render-17-x2v9k","generateName":"render-17-",)pod"
    R"pod("namespace":"film","uid":"5f0c1b9e-8f6e-4f0a-9a53-0c8b1f6f2a10","resourceVersion":"184467",)pod"
    R"pod("creationTimestamp":"2026-03-01T12:00:00Z","labels":{"app":"render",)pod"
    R"pod("batch.kubernetes.io/controller-uid":"0dbac1e3-d0fe-451d-83f4-ce0d08c777ba",)pod"
    R"pod("batch.kubernetes.io/job-completion-index":"17","batch.kubernetes.io/job-name":"render",)pod"
    R"pod("controller-uid":"0dbac1e3-d0fe-451d-83f4-ce0d08c777ba","job-name":"render"},)pod"
    R"pod("annotations":{"batch.kubernetes.io/job-completion-index":"17"},"ownerReferences":[{"kind":"Job",)pod"
    R"pod("name":"render","uid":"0dbac1e3-d0fe-451d-83f4-ce0d08c777ba","apiVersion":"batch/v1",)pod"
    R"pod("controller":true,"blockOwnerDeletion":true}],"finalizers":["batch.kubernetes.io/job-tracking"]},)pod"
    R"pod("spec":{"containers":[{"name":"frame","image":"studio/render:4.2","command":["render","--frame",)pod"
    R"pod("$(JOB_COMPLETION_INDEX)"],"env":[{"name":"JOB_COMPLETION_INDEX",)pod"
    R"pod("valueFrom":{"fieldRef":{"apiVersion":"v1",)pod"
    R"pod("fieldPath":"metadata.labels['batch.kubernetes.io/job-completion-index']"}}}],)pod"
    R"pod("resources":{"limits":{"cpu":"2","memory":"4Gi"},"requests":{"cpu":"500m","memory":"1Gi"}},)pod"
    R"pod("volumeMounts":[{"name":"scratch","mountPath":"/scratch"}],)pod"
    R"pod("terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent",)pod"
    R"pod("terminationMessagePolicy":"File"}],"volumes":[{"name":"scratch","emptyDir":{"sizeLimit":"10Gi"}}],)pod"
    R"pod("restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)pod"
    R"pod("serviceAccountName":"default","nodeName":"node-3","securityContext":{},"hostname":"render-17",)pod"
    R"pod("schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready",)pod"
    R"pod("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,)pod"
    R"pod("enableServiceLinks":true},"status":{"phase":"Running","conditions":[{"type":"Initialized",)pod"
    R"pod("status":"True","lastProbeTime":null,"lastTransitionTime":"2026-03-01T12:00:01Z"},{"type":"Ready",)pod"
    R"pod("status":"True","lastProbeTime":null,)pod"
    R"pod("lastTransitionTime":"2026-03-01T12:00:03Z"},{"type":"PodScheduled","status":"True",)pod"
    R"pod("lastProbeTime":null,"lastTransitionTime":"2026-03-01T12:00:00Z"}],"hostIP":"10.0.0.3",)pod"
    R"pod("podIP":"10.1.3.17","podIPs":[{"ip":"10.1.3.17"}],"startTime":"2026-03-01T12:00:01Z",)pod"
    R"pod("containerStatuses":[{"name":"frame","state":{"running":{"startedAt":"2026-03-01T12:00:02Z"}},)pod"
    R"pod("lastState":{},"ready":true,"restartCount":0,"image":"studio/render:4.2",)pod"
    R"pod("imageID":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",)pod"
    R"pod("containerID":"process://8f14e45f","started":true}],"qosClass":"Burstable"}})pod";

}  // namespace muster::bench
