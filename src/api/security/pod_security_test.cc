#include "api/security/pod_security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::api {
namespace pod_security_test {

using core::Pod;
using testing::ElementsAre;

constexpr SecurityPolicy kBaseline{SecurityLevel::kBaseline};
constexpr SecurityPolicy kRestricted{SecurityLevel::kRestricted};

Pod pod_of(const std::string& spec, const std::string& annotations = "") {
    return from_yaml<Pod>("{metadata: {name: p, annotations: {" + annotations + "}}, spec: {" + spec + "}}").value();
}

std::string findings_of(const SecurityPolicy& policy, const Pod& pod) {
    return format_details(check_pod_security(policy, pod.metadata, pod.spec));
}

// One container with these security settings.
std::string with_context(const std::string& context) {
    return "containers: [{name: c, securityContext: {" + context + "}}]";
}

struct BaselineCase {
    const char* sentence;
    std::string spec;
    const char* details;
    const char* annotations = "";
};

TEST(PodSecurity, BaselineOneCheckAtATime) {
    const BaselineCase cases[] = {
        {"a plain pod passes", "containers: [{name: c}]", ""},
        {"namespaces of the host", "hostNetwork: true, hostPID: true, hostIPC: true, containers: [{name: c}]",
         "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"},
        {"paths of the host",
         "containers: [{name: c}], volumes: [{name: h, hostPath: {path: /}}, {name: i, hostPath: "
         "{path: /}}]",
         "hostPath volumes (volumes \"h\", \"i\")"},
        {"ports of the host",
         "containers: [{name: c, ports: [{containerPort: 1, hostPort: 80}, {containerPort: 2, "
         "hostPort: 443}]}]",
         "hostPort (container \"c\" uses hostPorts 443, 80)"},
        {"privileged", with_context("privileged: true"),
         "privileged (container \"c\" must not set securityContext.privileged=true)"},
        {"capabilities beyond the default ones", with_context("capabilities: {add: [CHOWN, NET_RAW, SYS_ADMIN]}"),
         "non-default capabilities (container \"c\" must not include \"NET_RAW\", \"SYS_ADMIN\" in "
         "securityContext.capabilities.add)"},
        {"/proc as it is", with_context("procMount: Unmasked"),
         "procMount (container \"c\" must not set securityContext.procMount to \"Unmasked\")"},
        {"/proc as it is, with users of its own", "hostUsers: false, " + with_context("procMount: Unmasked"), ""},
        {"SELinux",
         "securityContext: {seLinuxOptions: {type: bad_t}}, " + with_context("seLinuxOptions: {user: u, "
                                                                             "role: r}"),
         "seLinuxOptions (pod and container \"c\" set forbidden securityContext.seLinuxOptions: type \"bad_t\"; user "
         "may "
         "not be set; role may not be set)"},
        {"SELinux for engines", with_context("seLinuxOptions: {type: container_engine_t}"), ""},
        {"seccomp", "securityContext: {seccompProfile: {type: Unconfined}}, containers: [{name: c}]",
         "seccompProfile (pod must not set securityContext.seccompProfile.type to \"Unconfined\")"},
        {"AppArmor", with_context("appArmorProfile: {type: Unconfined}"),
         "forbidden AppArmor profile (container \"c\" must not set AppArmor profile type to \"Unconfined\")"},
        {"AppArmor by annotation", "containers: [{name: c}]",
         "forbidden AppArmor profile (annotation must not set AppArmor profile type to "
         "\"container.apparmor.security.beta.kubernetes.io/c=\"unconfined\"\")",
         "container.apparmor.security.beta.kubernetes.io/c: unconfined"},
        {"kernel parameters",
         "securityContext: {sysctls: [{name: net.ipv4.tcp_rmem, value: '1'}, {name: "
         "kernel.msgmax, value: '1'}]}, containers: [{name: c}]",
         "forbidden sysctls (kernel.msgmax)"},
        {"processes of a Windows host",
         "securityContext: {windowsOptions: {hostProcess: true}}, containers: [{name: "
         "c}]",
         "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)"},
        {"probes to another host",
         "containers: [{name: c, livenessProbe: {httpGet: {host: a.b, port: 1}}, lifecycle: "
         "{preStop: {tcpSocket: {host: c.d, port: 1}}}}]",
         "probe or lifecycle host (container \"c\" uses probe or lifecycle hosts \"a.b\", \"c.d\")"},
        {"init and ephemeral containers are looked at, too",
         "containers: [{name: c}], initContainers: [{name: i, securityContext: {privileged: true}}], "
         "ephemeralContainers: [{name: e, securityContext: {privileged: true}}]",
         "privileged (containers \"i\", \"e\" must not set securityContext.privileged=true)"},
    };
    for (const BaselineCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        EXPECT_EQ(findings_of(kBaseline, pod_of(one.spec, one.annotations)), one.details);
    }
}

TEST(PodSecurity, RestrictedOneCheckAtATime) {
    const std::string good_pod = "securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, ";
    const auto container = [&](const std::string& more) {
        return good_pod +
               "containers: [{name: c, securityContext: {allowPrivilegeEscalation: false, capabilities: "
               "{drop: [ALL]" +
               more + "}}]";
    };
    const BaselineCase cases[] = {
        {"a pod that gives up every right passes", container("}"), ""},
        {"nothing is said", "containers: [{name: c}, {name: d}]",
         "allowPrivilegeEscalation != false (containers \"c\", \"d\" must set "
         "securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers \"c\", \"d\" must set "
         "securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or containers \"c\", \"d\" must set "
         "securityContext.runAsNonRoot=true), seccompProfile (pod or containers \"c\", \"d\" must set "
         "securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"},
        {"NET_BIND_SERVICE may be added", container(", add: [NET_BIND_SERVICE]}"), ""},
        {"no other capability", container(", add: [CHOWN]}"),
         "unrestricted capabilities (container \"c\" must not include \"CHOWN\" in securityContext.capabilities.add)"},
        {"user 0", container("}, runAsUser: 0"), "runAsUser=0 (container \"c\" must not set runAsUser=0)"},
        {"user 0 with users of its own", "hostUsers: false, " + container("}, runAsUser: 0"), ""},
        {"root by its own word", container("}, runAsNonRoot: false"),
         "runAsNonRoot != true (container \"c\" must not set securityContext.runAsNonRoot=false)"},
        {"other volumes",
         container("}") + ", volumes: [{name: a, nfs: {server: s, path: /}}, {name: b, hostPath: "
                          "{path: /}}, {name: e, emptyDir: {}}]",
         "restricted volume types (volumes \"a\", \"b\" use restricted volume types \"hostPath\", \"nfs\")"},
        {"no seccomp profile", container("}, seccompProfile: {type: Unconfined}"),
         "seccompProfile (container \"c\" must not set securityContext.seccompProfile.type to \"Unconfined\")"},
        {"/proc as it is, even with users of its own", "hostUsers: false, " + container("}, procMount: Unmasked"),
         "procMount (container \"c\" must not set securityContext.procMount to \"Unmasked\")"},
        {"a Windows pod cannot say most of it",
         "os: {name: windows}, securityContext: {runAsNonRoot: true}, "
         "containers: [{name: c}]",
         ""},
    };
    for (const BaselineCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        EXPECT_EQ(findings_of(kRestricted, pod_of(one.spec)), one.details);
    }
}

struct VersionCase {
    const char* sentence;
    SecurityPolicy policy;
    std::string spec;
    bool passes;
};

TEST(PodSecurity, AVersionHasTheChecksOfItsTime) {
    const std::string silent_pod = "securityContext: {runAsNonRoot: true}, containers: [{name: c}]";
    const std::string probes = "containers: [{name: c, livenessProbe: {tcpSocket: {host: h, port: 1}}}]";
    const std::string engine = with_context("seLinuxOptions: {type: container_engine_t}");
    const std::string buffer =
        "securityContext: {sysctls: [{name: net.ipv4.tcp_wmem, value: '1'}]}, containers: "
        "[{name: c}]";
    const VersionCase cases[] = {
        {"1.7 knows no privilege escalation", {SecurityLevel::kRestricted, 7}, silent_pod, true},
        {"1.8 does", {SecurityLevel::kRestricted, 8}, silent_pod, false},
        {"1.33 does not look at hosts of probes", {SecurityLevel::kBaseline, 33}, probes, true},
        {"1.34 does", {SecurityLevel::kBaseline, 34}, probes, false},
        {"1.30 refuses the label of engines", {SecurityLevel::kBaseline, 30}, engine, false},
        {"1.31 allows it", {SecurityLevel::kBaseline, 31}, engine, true},
        {"1.31 refuses buffer sizes", {SecurityLevel::kBaseline, 31}, buffer, false},
        {"1.32 allows them", {SecurityLevel::kBaseline, 32}, buffer, true},
        {"a version to come is the latest that is known", {SecurityLevel::kBaseline, 99}, probes, false},
    };
    for (const VersionCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        EXPECT_EQ(findings_of(one.policy, pod_of(one.spec)).empty(), one.passes);
    }
}

TEST(PodSecurity, AnnotationsWereSeccompProfilesOnce) {
    const Pod pod = pod_of("containers: [{name: c}]",
                           "seccomp.security.alpha.kubernetes.io/pod: unconfined, "
                           "container.seccomp.security.alpha.kubernetes.io/c: localhost/x");
    EXPECT_EQ(findings_of({SecurityLevel::kBaseline, 18}, pod),
              "seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod=\"unconfined\")");
    EXPECT_EQ(findings_of({SecurityLevel::kBaseline, 19}, pod), "");
}

struct LabelCase {
    const char* sentence;
    Map<Text> labels;
    const char* enforce;
    const char* audit;
    const char* warn;
    std::vector<std::string> wrong;
};

TEST(PodSecurity, Labels) {
    const LabelCase cases[] = {
        {"no labels", {}, "privileged:latest", "privileged:latest", "privileged:latest", {}},
        {"what is enforced is warned of",
         {{"pod-security.kubernetes.io/enforce", "baseline"}, {"pod-security.kubernetes.io/enforce-version", "v1.24"}},
         "baseline:v1.24",
         "privileged:latest",
         "baseline:v1.24",
         {}},
        {"unless the labels say what to warn of",
         {{"pod-security.kubernetes.io/enforce", "restricted"},
          {"pod-security.kubernetes.io/warn", "baseline"},
          {"pod-security.kubernetes.io/warn-version", "v1.30"},
          {"pod-security.kubernetes.io/audit", "restricted"}},
         "restricted:latest",
         "restricted:latest",
         "baseline:v1.30",
         {}},
        {"a level that is none",
         {{"pod-security.kubernetes.io/enforce", "strictest"}, {"pod-security.kubernetes.io/audit", "x"}},
         "restricted:latest",
         "privileged:latest",
         "privileged:latest",
         {"metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"strictest\": must be one of "
          "privileged, "
          "baseline, restricted",
          "metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: \"x\": must be one of privileged, "
          "baseline, "
          "restricted"}},
        {"a version that is none",
         {{"pod-security.kubernetes.io/enforce", "baseline"}, {"pod-security.kubernetes.io/enforce-version", "v1.07"}},
         "baseline:latest",
         "privileged:latest",
         "baseline:latest",
         {"metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: \"v1.07\": must be \"latest\" "
          "or "
          "\"v1.x\""}},
    };
    for (const LabelCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const NamespaceSecurity read = parse_security_labels(one.labels);
        EXPECT_EQ(read.enforce.text(), one.enforce);
        EXPECT_EQ(read.audit.text(), one.audit);
        EXPECT_EQ(read.warn.text(), one.warn);
        std::vector<std::string> wrong;
        for (const Cause& cause : read.errors.causes()) wrong.push_back(cause.field + ": " + cause.message);
        EXPECT_EQ(wrong, one.wrong);
    }
}

TEST(PodSecurity, OnlyNewImagesMakeAnUpdateWorthALook) {
    const Pod before = pod_of("containers: [{name: c, image: a}], ephemeralContainers: [{name: e, image: a}]");
    Pod now = before;
    now.spec.active_deadline_seconds = 5;
    EXPECT_FALSE(is_security_update(now.spec, before.spec));
    now.spec.containers.edit()[0].image = "b";
    EXPECT_TRUE(is_security_update(now.spec, before.spec));
    now = before;
    now.spec.ephemeral_containers.edit().push_back({});
    EXPECT_TRUE(is_security_update(now.spec, before.spec));
}

TEST(PodSecurity, StandingPodsAreToldTogether) {
    std::vector<Pod> pods;
    for (const char* name : {"b", "a", "c", "d", "e"}) {
        pods.push_back(pod_of("hostNetwork: true, containers: [{name: c}]"));
        pods.back().metadata.name = name;
    }
    pods[3].spec.host_network = false;
    pods[4].spec.containers.edit()[0].security_context.edit().privileged = true;
    std::vector<const Pod*> all;
    for (const Pod& pod : pods) all.push_back(&pod);
    EXPECT_THAT(check_standing_pods(kBaseline, "ns", all),
                ElementsAre("existing pods in namespace \"ns\" violate the new PodSecurity enforce level "
                            "\"baseline:latest\"",
                            "a (and 2 other pods): host namespaces", "e: host namespaces, privileged"));
    EXPECT_TRUE(check_standing_pods(kBaseline, "ns", {all[3]}).empty());
}

}  // namespace pod_security_test
}  // namespace muster::api
