#include "api/validation/pod/pod_cases_test.h"

namespace muster::api {
namespace pod_containers_test {

TEST(PodContainers, NamesImagesAndPorts) {
    const PodCase cases[] = {
        {"a name and an image are enough", "", "", ""},
        {"a container has a name", R"("name":"")", "", "Required spec.containers[0].name\n"},
        {"the name is a label", R"("name":"C_c")", "", "Invalid spec.containers[0].name\n"},
        {"a container has an image", R"("image":"")", "", "Required spec.containers[0].image\n"},
        {"the image has no spaces around it", R"("image":" i ")", "", "Invalid spec.containers[0].image\n"},
        {"init containers and containers share their names", "", R"("initContainers":[{"name":"c","image":"i"}])",
         "Duplicate spec.initContainers[0].name\n"},
        {"a pull policy is one of three", R"("imagePullPolicy":"Maybe")", "",
         "NotSupported spec.containers[0].imagePullPolicy\n"},
        {"a message policy is one of two", R"("terminationMessagePolicy":"Nope")", "",
         "NotSupported spec.containers[0].terminationMessagePolicy\n"},
        {"a port has a number", R"("ports":[{"name":"a"}])", "",
         "Required spec.containers[0].ports[0].containerPort\n"},
        {"ports end at 65535", R"("ports":[{"containerPort":70000,"hostPort":70000}])", "",
         "Invalid spec.containers[0].ports[0].containerPort\nInvalid spec.containers[0].ports[0].hostPort\n"},
        {"port names are unique", R"("ports":[{"name":"a","containerPort":1},{"name":"a","containerPort":2}])", "",
         "Duplicate spec.containers[0].ports[1].name\n"},
        {"port names are short", R"("ports":[{"name":"much-too-long-a-name","containerPort":1}])", "",
         "Invalid spec.containers[0].ports[0].name\n"},
        {"a protocol is known", R"("ports":[{"containerPort":1,"protocol":"XYZ"}])", "",
         "NotSupported spec.containers[0].ports[0].protocol\n"},
        {"a port of the node is given once",
         R"("ports":[{"containerPort":1,"hostPort":80},{"containerPort":2,"hostPort":80}])", "",
         "Duplicate spec.containers[0].ports[1].hostPort\n"},
        {"the same port of another protocol is another port",
         R"("ports":[{"containerPort":1,"hostPort":80},{"containerPort":2,"hostPort":80,"protocol":"UDP"}])", "", ""},
        {"on the node's network a port is the node's port", R"("ports":[{"containerPort":1,"hostPort":2}])",
         R"("hostNetwork":true)", "Invalid spec.containers[0].ports[0].hostPort\n"},
        {"resize policies are for cpu and memory, once each",
         R"("resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"},
            {"resourceName":"cpu","restartPolicy":"Perhaps"},{"resourceName":"disk","restartPolicy":"NotRequired"}])",
         "",
         "Duplicate spec.containers[0].resizePolicy[1]\nNotSupported spec.containers[0].resizePolicy\n"
         "NotSupported spec.containers[0].resizePolicy\n"},
        {"a pod that never restarts cannot restart for a resize",
         R"("resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}])", R"("restartPolicy":"Never")",
         "Invalid spec.containers[0].resizePolicy\n"},
    };
    expect_causes(cases);
}

TEST(PodContainers, AtLeastOneIsNeeded) {
    core::Pod pod = read_pod(pod_json("", ""));
    pod.spec.containers.edit().clear();
    EXPECT_EQ(summary(validate_pod_create(pod)), "Required spec.containers\n");
}

TEST(PodContainers, InitContainersAndSidecars) {
    const char* probe = R"({"name":"i","image":"i","livenessProbe":{"exec":{"command":["x"]}}})";
    const std::string plain = std::string(R"("initContainers":[)") + probe + "]";
    const std::string sidecar = R"("initContainers":[{"name":"i","image":"i","restartPolicy":"Always",
        "livenessProbe":{"exec":{"command":["x"]}},"lifecycle":{"preStop":{"exec":{"command":["x"]}}}}])";
    const PodCase cases[] = {
        {"an init container has no probes", "", plain.c_str(), "Forbidden spec.initContainers[0].livenessProbe\n"},
        {"a sidecar has probes and hooks", "", sidecar.c_str(), ""},
        {"an init container may have a policy and rules of its own", "",
         R"("initContainers":[{"name":"i","image":"i","restartPolicy":"Never","restartPolicyRules":[
            {"action":"Restart","exitCodes":{"operator":"In","values":[3]}}]}])",
         ""},
        {"a sidecar always restarts, so it has no rules", "",
         R"("initContainers":[{"name":"i","image":"i","restartPolicy":"Always","restartPolicyRules":[
            {"action":"Restart","exitCodes":{"operator":"In","values":[3]}}]}])",
         "Forbidden spec.initContainers[0].restartPolicyRules\n"},
        {"rules need a policy for all other exits",
         R"("restartPolicyRules":[{"action":"Restart","exitCodes":{"operator":"In","values":[3]}}])", "",
         "Required spec.containers[0].restartPolicy\n"},
        {"a rule names what it does and for which exits",
         R"("restartPolicy":"Never","restartPolicyRules":[{"action":"Shrug"},
            {"action":"Restart","exitCodes":{"operator":"Near","values":[3]}}])",
         "",
         "NotSupported spec.containers[0].restartPolicyRules[0].action\n"
         "Required spec.containers[0].restartPolicyRules[0].exitCodes\n"
         "NotSupported spec.containers[0].restartPolicyRules[1].exitCodes.operator\n"},
        {"ephemeral containers come later", "", R"("ephemeralContainers":[{"name":"e","image":"i"}])",
         "Forbidden spec.ephemeralContainers\n"},
        {"nothing may rely on an ephemeral container", "",
         R"("ephemeralContainers":[{"name":"e","image":"i","targetContainerName":"none",
            "ports":[{"containerPort":1}],"livenessProbe":{"exec":{"command":["x"]}}}])",
         "NotFound spec.ephemeralContainers[0].targetContainerName\n"
         "Forbidden spec.ephemeralContainers[0].ports\nForbidden spec.ephemeralContainers[0].livenessProbe\n"
         "Forbidden spec.ephemeralContainers\n"},
    };
    expect_causes(cases);
}

TEST(PodContainers, Environment) {
    const PodCase cases[] = {
        {"values come from five kinds of places",
         R"("env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
            {"name":"C","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1m"}}},
            {"name":"D","valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}},
            {"name":"E","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
            "envFrom":[{"configMapRef":{"name":"m"}},{"prefix":"P_","secretRef":{"name":"s"}}])",
         "", ""},
        {"a variable has a name", R"("env":[{"value":"1"}])", "", "Required spec.containers[0].env[0].name\n"},
        {"a name has no equals sign", R"("env":[{"name":"A=B"}])", "", "Invalid spec.containers[0].env[0].name\n"},
        {"a value is said once",
         R"("env":[{"name":"A","value":"1","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])", "",
         "Invalid spec.containers[0].env[0].valueFrom\n"},
        {"a source is something", R"("env":[{"name":"A","valueFrom":{}}])", "",
         "Invalid spec.containers[0].env[0].valueFrom\n"},
        {"a source is one thing",
         R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"},"secretKeyRef":{"name":"s","key":"k"}}}])",
         "", "Invalid spec.containers[0].env[0].valueFrom\n"},
        {"a field is of the pod", R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.nope"}}}])", "",
         "Invalid spec.containers[0].env[0].valueFrom.fieldRef.fieldPath\n"},
        {"a whole map is no value", R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels"}}}])",
         "", "NotSupported spec.containers[0].env[0].valueFrom.fieldRef.fieldPath\n"},
        {"one entry of a map is",
         R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['Example.com/X']"}}}])", "",
         ""},
        {"only maps have entries",
         R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name['x']"}}}])", "",
         "Invalid spec.containers[0].env[0].valueFrom.fieldRef.fieldPath\n"},
        {"a resource is one a container has",
         R"("env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.hope"}}}])", "",
         "NotSupported spec.containers[0].env[0].valueFrom.resourceFieldRef.resource\n"},
        {"huge pages are a resource too",
         R"("env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.hugepages-2Mi"}}}])", "", ""},
        {"cpu is counted in ones or thousandths",
         R"("env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1k"}}}])", "",
         "Invalid spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor\n"},
        {"memory is counted in round units",
         R"("env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"3"}}}])", "",
         "Invalid spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor\n"},
        {"a key is needed", R"("env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"m","key":""}}}])", "",
         "Required spec.containers[0].env[0].valueFrom.configMapKeyRef.key\n"},
        {"a file of variables lies in an emptyDir",
         R"("env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"f","key":"K"}}},
            {"name":"B","valueFrom":{"fileKeyRef":{"volumeName":"none","path":"f","key":"K"}}}])",
         R"("volumes":[{"name":"v","hostPath":{"path":"/x"}}])",
         "Invalid spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName\n"
         "NotFound spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName\n"},
        {"variables come from one of two", R"("envFrom":[{},{"configMapRef":{"name":"a"},"secretRef":{"name":"b"}}])",
         "", "Invalid spec.containers[0].envFrom\nInvalid spec.containers[0].envFrom\n"},
        {"what variables come from has a name", R"("envFrom":[{"configMapRef":{}}])", "",
         "Required spec.containers[0].envFrom[0].configMapRef.name\n"},
    };
    expect_causes(cases);
}

TEST(PodContainers, NoNulByteReachesTheSystem) {
    const PodCase cases[] = {
        {"in commands and arguments", R"("command":["/bin/true\u0000x"],"args":["a","b\u0000"])", "",
         "Invalid spec.containers[0].command[0]\nInvalid spec.containers[0].args[1]\n"},
        {"in paths", R"("workingDir":"/a\u0000b","terminationMessagePath":"/dev\u0000")", "",
         "Invalid spec.containers[0].workingDir\nInvalid spec.containers[0].terminationMessagePath\n"},
        {"in the image", R"("image":"rootfs:/a\u0000b")", "", "Invalid spec.containers[0].image\n"},
        {"in mounts",
         R"("volumeMounts":[{"name":"v","mountPath":"/a\u0000","subPath":"b\u0000"},
            {"name":"v","mountPath":"/c","subPathExpr":"d\u0000"}])",
         R"("volumes":[{"name":"v","emptyDir":{}}])",
         "Invalid spec.containers[0].volumeMounts[0].mountPath\nInvalid spec.containers[0].volumeMounts.subPath\n"
         "Invalid spec.containers[0].volumeMounts.subPathExpr\n"},
        {"in variables", R"("env":[{"name":"A","value":"a\u0000b"}])", "", "Invalid spec.containers[0].env[0].value\n"},
        {"in commands of probes and hooks",
         R"("livenessProbe":{"exec":{"command":["x\u0000"]}},"lifecycle":{"preStop":{"exec":{"command":["y\u0000"]}}})",
         "",
         "Invalid spec.containers[0].lifecycle.preStop.exec.command[0]\n"
         "Invalid spec.containers[0].livenessProbe.exec.command[0]\n"},
    };
    expect_causes(cases);
}

TEST(PodContainers, ProbesAndHooks) {
    const PodCase cases[] = {
        {"four kinds of probes",
         R"("livenessProbe":{"exec":{"command":["x"]}},"readinessProbe":{"httpGet":{"port":80}},
            "startupProbe":{"grpc":{"port":1}})",
         "", ""},
        {"a probe does something", R"("livenessProbe":{})", "", "Required spec.containers[0].livenessProbe\n"},
        {"a probe does one thing", R"("livenessProbe":{"exec":{"command":["x"]},"tcpSocket":{"port":1}})", "",
         "Forbidden spec.containers[0].livenessProbe.tcpSocket\n"},
        {"a command is needed", R"("livenessProbe":{"exec":{}})", "",
         "Required spec.containers[0].livenessProbe.exec.command\n"},
        {"a port is a number or a name",
         R"("livenessProbe":{"tcpSocket":{"port":0}},"readinessProbe":{"httpGet":{"port":"a b"}})", "",
         "Invalid spec.containers[0].livenessProbe.tcpSocket.port\n"
         "Invalid spec.containers[0].readinessProbe.httpGet.port\n"},
        {"a scheme is http or https", R"("readinessProbe":{"httpGet":{"port":1,"scheme":"FTP"}})", "",
         "NotSupported spec.containers[0].readinessProbe.httpGet.scheme\n"},
        {"times are not negative", R"("livenessProbe":{"exec":{"command":["x"]},"periodSeconds":-1})", "",
         "Invalid spec.containers[0].livenessProbe.periodSeconds\n"},
        {"one success shows life", R"("livenessProbe":{"exec":{"command":["x"]},"successThreshold":2})", "",
         "Invalid spec.containers[0].livenessProbe.successThreshold\n"},
        {"readiness may want several", R"("readinessProbe":{"exec":{"command":["x"]},"successThreshold":2})", "", ""},
        {"readiness kills nothing, so it has no grace",
         R"("readinessProbe":{"exec":{"command":["x"]},"terminationGracePeriodSeconds":5})", "",
         "Invalid spec.containers[0].readinessProbe.terminationGracePeriodSeconds\n"},
        {"a hook does one thing",
         R"("lifecycle":{"preStop":{"exec":{"command":["x"]},"tcpSocket":{"port":1}},"postStart":{}})", "",
         "Required spec.containers[0].lifecycle.postStart\nForbidden spec.containers[0].lifecycle.preStop.tcpSocket\n"},
        {"a sleep ends within the grace period", R"("lifecycle":{"preStop":{"sleep":{"seconds":31}}})", "",
         "Invalid spec.containers[0].lifecycle.preStop.sleep\n"},
        {"a stop signal needs a known system", R"("lifecycle":{"stopSignal":"SIGINT"})", "",
         "Forbidden spec.containers[0].lifecycle.stopSignal\n"},
        {"a stop signal is a signal", R"("lifecycle":{"stopSignal":"SIGNOPE"})", R"("os":{"name":"linux"})",
         "NotSupported spec.containers[0].lifecycle.stopSignal\n"},
    };
    expect_causes(cases);
}

TEST(PodContainers, Resources) {
    const PodCase cases[] = {
        {"extended resources and huge pages are equal on both sides",
         R"("resources":{"limits":{"cpu":"1","example.com/gpu":"2","hugepages-2Mi":"4Mi"}})", "", ""},
        {"a request is within the limit", R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}})", "",
         "Invalid spec.containers[0].resources.requests\n"},
        {"amounts are not negative", R"("resources":{"requests":{"cpu":"-1"}})", "",
         "Invalid spec.containers[0].resources.requests[cpu]\n"},
        {"devices are whole", R"("resources":{"limits":{"example.com/gpu":"1500m"}})", "",
         "Invalid spec.containers[0].resources.limits[example.com/gpu]\n"
         "Invalid spec.containers[0].resources.requests[example.com/gpu]\n"},
        {"devices have a limit", R"("resources":{"requests":{"example.com/gpu":"1"}})", "",
         "Required spec.containers[0].resources.limits\n"},
        {"devices are not overcommitted",
         R"("resources":{"requests":{"example.com/gpu":"1"},"limits":{"example.com/gpu":"2"}})", "",
         "Invalid spec.containers[0].resources.requests\n"},
        {"huge pages come with cpu or memory", R"("resources":{"limits":{"hugepages-2Mi":"4Mi"}})", "",
         "Forbidden spec.containers[0].resources\n"},
        {"huge pages are whole pages", R"("resources":{"limits":{"cpu":"1","hugepages-2Mi":"3Mi"}})", "",
         "Invalid spec.containers[0].resources.limits[hugepages-2Mi]\n"
         "Invalid spec.containers[0].resources.requests[hugepages-2Mi]\n"},
        {"a bare name is a known one", R"("resources":{"limits":{"gpu":"1"}})", "",
         "Invalid spec.containers[0].resources.limits[gpu]\nInvalid spec.containers[0].resources.limits[gpu]\n"
         "Invalid spec.containers[0].resources.requests[gpu]\nInvalid spec.containers[0].resources.requests[gpu]\n"},
        {"pods are no resource of a container", R"("resources":{"requests":{"pods":"1"}})", "",
         "Invalid spec.containers[0].resources.requests[pods]\n"},
        {"a claim is one of the pod's", R"("resources":{"claims":[{"name":"a"},{"name":"b"},{"name":"a"}]})",
         R"("resourceClaims":[{"name":"a","resourceClaimName":"x"}])",
         "NotFound spec.containers[0].resources.claims[1]\nDuplicate spec.containers[0].resources.claims[2]\n"},
        {"a claim of the pod exists or is made", "",
         R"("resourceClaims":[{"name":"a"},{"name":"a","resourceClaimName":"x","resourceClaimTemplateName":"y"}])",
         "Invalid spec.resourceClaims[0]\nDuplicate spec.resourceClaims[1].name\nInvalid spec.resourceClaims[1]\n"},
        {"the pod as a whole has room for its containers",
         R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4"}})",
         R"("resources":{"requests":{"cpu":"1"},"limits":{"cpu":"3"}})",
         "Invalid spec.resources.requests[cpu]\nInvalid spec.resources.containers[0][cpu].limits\n"},
        {"the pod as a whole asks for cpu, memory and huge pages", "",
         R"("resources":{"limits":{"ephemeral-storage":"1Gi"}})",
         "NotSupported spec.resources.limits[ephemeral-storage]\n"},
    };
    expect_causes(cases);
}

}  // namespace pod_containers_test
}  // namespace muster::api
