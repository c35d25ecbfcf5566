#include "api/validation/pod/pod_cases_test.h"

namespace muster::api {
namespace pod_pod_test {

TEST(PodRules, NamesNumbersAndPolicies) {
    const PodCase cases[] = {
        {"a restart policy is one of three", "", R"("restartPolicy":"Maybe")", "NotSupported spec.restartPolicy\n"},
        {"a preemption policy is one of two", "", R"("preemptionPolicy":"Perhaps")",
         "NotSupported spec.preemptionPolicy\n"},
        {"a deadline is above zero", "", R"("activeDeadlineSeconds":0)", "Invalid spec.activeDeadlineSeconds\n"},
        {"a deadline fits 32 bits", "", R"("activeDeadlineSeconds":2147483648)",
         "Invalid spec.activeDeadlineSeconds\n"},
        {"names are names", "",
         R"("hostname":"H_h","subdomain":"a.b","nodeName":"N","serviceAccountName":"S","priorityClassName":"P",
            "runtimeClassName":"R")",
         "Invalid spec.serviceAccountName\nInvalid spec.nodeName\nInvalid spec.hostname\nInvalid spec.subdomain\n"
         "Invalid spec.priorityClassName\nInvalid spec.runtimeClassName\n"},
        {"a negative grace period is let through", "", R"("terminationGracePeriodSeconds":-5)", ""},
        {"overhead is of known resources", "", R"("overhead":{"gpu":"1"})",
         "Invalid spec.overhead.limits[gpu]\nInvalid spec.overhead.limits[gpu]\n"},
        {"a host name of its own is short and alone", "",
         R"("hostnameOverride":"UP","hostNetwork":true,"setHostnameAsFQDN":true)",
         "Forbidden spec.hostnameOverride\nForbidden spec.hostnameOverride\nInvalid spec.hostnameOverride\n"},
        {"the time to live after the end is not negative", "",
         R"("restartPolicy":"Never","ttlSecondsAfterFinished":-1)", "Invalid spec.ttlSecondsAfterFinished\n"},
        {"a pod that always restarts never ends", "", R"("ttlSecondsAfterFinished":5)",
         "Forbidden spec.ttlSecondsAfterFinished\n"},
        {"a pod that ends may have a time to live", "", R"("restartPolicy":"OnFailure","ttlSecondsAfterFinished":0)",
         ""},
    };
    expect_causes(cases);
}

TEST(PodRules, Placement) {
    const PodCase cases[] = {
        {"everything at once", "",
         R"("nodeSelector":{"a":"b"},"tolerations":[{"operator":"Exists"},{"key":"k","value":"v","effect":"NoSchedule"}],
            "schedulingGates":[{"name":"e.com/a"}],"readinessGates":[{"conditionType":"e.com/r"}],
            "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
              "minDomains":2,"labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["h"]}],
            "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
              {"matchExpressions":[{"key":"a","operator":"In","values":["b"]},{"key":"c","operator":"Gt","values":["1"]}],
               "matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]}},
             "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":
               {"topologyKey":"host","labelSelector":{}}}]}})",
         ""},
        {"a selected label is a label", "", R"("nodeSelector":{"a b":"c"})", "Invalid spec.nodeSelector\n"},
        {"a toleration of everything says so", "", R"("tolerations":[{"value":"v"}])",
         "Invalid spec.tolerations[0].operator\n"},
        {"a toleration of any value names none", "", R"("tolerations":[{"key":"a","operator":"Exists","value":"v"}])",
         "Invalid spec.tolerations[0].operator\n"},
        {"only an eviction can be put off", "",
         R"("tolerations":[{"key":"a","operator":"Exists","effect":"NoSchedule","tolerationSeconds":5}])",
         "Invalid spec.tolerations[0].effect\n"},
        {"operators and effects of tolerations are known", "",
         R"("tolerations":[{"key":"a","operator":"Like","effect":"Nope"}])",
         "NotSupported spec.tolerations[0].operator\nNotSupported spec.tolerations[0].effect\n"},
        {"a gate is named once", "", R"("schedulingGates":[{"name":"a"},{"name":"a"}])",
         "Duplicate spec.schedulingGates[1]\n"},
        {"a gated pod has no node yet", "", R"("schedulingGates":[{"name":"a"}],"nodeName":"n")",
         "Forbidden spec.nodeName\n"},
        {"terms are needed", "",
         R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}})",
         "Required spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms\n"},
        {"tests of nodes are complete", "",
         R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"preference":
            {"matchExpressions":[{"key":"a","operator":"In"},{"key":"a","operator":"Like"},
             {"key":"a","operator":"Exists","values":["v"]}],"matchFields":[{"key":"spec.x","operator":"In","values":["v"]}]}}]}})",
         "Invalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight\n"
         "Required spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
         "matchExpressions[0].values\n"
         "Invalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
         "matchExpressions[1].operator\n"
         "Forbidden spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
         "matchExpressions[2].values\n"
         "Invalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
         "matchFields[0].key\n"},
        {"near is told by a label of nodes", "",
         R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"",
            "namespaces":["N"],"labelSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}]}})",
         "Required spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector."
         "matchExpressions[0].values\n"
         "Invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace\n"
         "Required spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey\n"
         "Invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey\n"
         "Invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey\n"},
        {"label keys go with a selector, to one side", "",
         R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
            {"topologyKey":"z","matchLabelKeys":["a"]},
            {"topologyKey":"z","labelSelector":{},"matchLabelKeys":["a"],"mismatchLabelKeys":["a"]}]}})",
         "Forbidden spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys\n"
         "Invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].matchLabelKeys[0]\n"},
        {"spreading has a skew, a key and a way out", "",
         R"("topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"","whenUnsatisfiable":"Cry"},
            {"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway","minDomains":0,"nodeTaintsPolicy":"X"},
            {"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway"}])",
         "Invalid spec.topologySpreadConstraints[0].maxSkew\nRequired spec.topologySpreadConstraints[0].topologyKey\n"
         "NotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable\n"
         "Duplicate spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}\n"
         "Invalid spec.topologySpreadConstraints[1].minDomains\nInvalid spec.topologySpreadConstraints[1].minDomains\n"
         "NotSupported spec.topologySpreadConstraints[1].nodeTaintsPolicy\n"},
    };
    expect_causes(cases);
}

TEST(PodRules, Network) {
    const PodCase cases[] = {
        {"a DNS policy is one of four", "", R"("dnsPolicy":"Guess")", "NotSupported spec.dnsPolicy\n"},
        {"without a policy a config is needed", "", R"("dnsPolicy":"None")", "Required spec.dnsConfig\n"},
        {"without a policy a server is needed", "", R"("dnsPolicy":"None","dnsConfig":{"searches":["a"]})",
         "Required spec.dnsConfig.nameservers\n"},
        {"a config has few servers, domains to search and named options", "",
         R"("dnsConfig":{"nameservers":["1.1.1.1","x","1.1.1.2","1.1.1.3"],"searches":[".","a_b.c.","-"],
            "options":[{"value":"1"}]})",
         "Invalid spec.dnsConfig.nameservers\nInvalid spec.dnsConfig.nameservers[1]\nInvalid "
         "spec.dnsConfig.searches[2]\n"
         "Required spec.dnsConfig.options[0]\n"},
        {"a host alias has an address and names", "", R"("hostAliases":[{"ip":"1.2.3","hostnames":["a","B"]}])",
         "Invalid spec.hostAliases[0].ip\nInvalid spec.hostAliases[0].hostnames[1]\n"},
    };
    expect_causes(cases);
}

TEST(PodRules, Security) {
    const PodCase cases[] = {
        {"the usual settings",
         R"("securityContext":{"runAsUser":1000,"runAsNonRoot":true,"allowPrivilegeEscalation":false,
            "capabilities":{"drop":["ALL"]},"seccompProfile":{"type":"RuntimeDefault"}})",
         R"("securityContext":{"fsGroup":5,"sysctls":[{"name":"net.core.somaxconn","value":"1"}]})", ""},
        {"ids fit 32 bits and are not negative", R"("securityContext":{"runAsUser":-1,"runAsGroup":2147483648})",
         R"("securityContext":{"runAsUser":-1,"supplementalGroups":[1,-1]})",
         "Invalid spec.containers[0].securityContext.runAsUser\nInvalid spec.containers[0].securityContext.runAsGroup\n"
         "Invalid spec.securityContext.runAsUser\nInvalid spec.securityContext.supplementalGroups[1]\n"},
        {"processes are shared with the pod or with the node", "", R"("hostPID":true,"shareProcessNamespace":true)",
         "Invalid spec.shareProcessNamespace\n"},
        {"who is privileged has already escalated",
         R"("securityContext":{"privileged":true,"allowPrivilegeEscalation":false})", "",
         "Invalid spec.containers[0].securityContext\n"},
        {"a profile of the node is named, others are not",
         R"("securityContext":{"seccompProfile":{"type":"Localhost"},"appArmorProfile":{"type":"Unconfined","localhostProfile":"x"}})",
         R"("securityContext":{"seccompProfile":{"type":"Nope"},"appArmorProfile":{"type":""}})",
         "Required spec.containers[0].securityContext.seccompProfile.localhostProfile\n"
         "Invalid spec.containers[0].securityContext.appArmorProfile.localhostProfile\n"
         "NotSupported spec.securityContext.seccompProfile.type\nRequired spec.securityContext.appArmorProfile.type\n"},
        {"kernel parameters have names, once", "",
         R"("securityContext":{"sysctls":[{"name":"","value":"1"},{"name":"A","value":"1"},{"name":"kernel.sem","value":"1"},
            {"name":"kernel.sem","value":"1"}]})",
         "Required spec.securityContext.sysctls[0].name\nInvalid spec.securityContext.sysctls[1].name\n"
         "Duplicate spec.securityContext.sysctls[3].name\n"},
        {"the node's own parameters are not a pod's to set", "",
         R"("hostNetwork":true,"hostIPC":true,"securityContext":{"sysctls":[{"name":"net.core.somaxconn","value":"1"},
            {"name":"kernel.shmmax","value":"1"},{"name":"fs.mqueue.msg_max","value":"1"}]})",
         "Invalid spec.securityContext.sysctls[0].name\nInvalid spec.securityContext.sysctls[1].name\n"
         "Invalid spec.securityContext.sysctls[2].name\n"},
        {"policies are known", R"("securityContext":{"procMount":"Bare"})",
         R"("securityContext":{"fsGroupChangePolicy":"X","supplementalGroupsPolicy":"Y","seLinuxChangePolicy":"Z"})",
         "NotSupported spec.containers[0].securityContext.procMount\n"
         "NotSupported spec.securityContext.fsGroupChangePolicy\n"
         "NotSupported spec.securityContext.supplementalGroupsPolicy\n"
         "NotSupported spec.securityContext.seLinuxChangePolicy\n"},
        {"users of its own and the node's other namespaces do not mix", R"("securityContext":{"procMount":"Unmasked"})",
         R"("hostUsers":false,"hostPID":true)", "Forbidden spec.HostPID\n"},
        {"a bare proc needs users of its own", R"("securityContext":{"procMount":"Unmasked"})", "",
         "Invalid spec.containers[0].securityContext.procMount\n"},
        {"a system is known", "", R"("os":{"name":"beos"})", "NotSupported spec.os\n"},
        {"what only Linux has is not for Windows", R"("securityContext":{"privileged":true})",
         R"("os":{"name":"windows"},"hostPID":true,"securityContext":{"runAsUser":1})",
         "Forbidden spec.hostPID\nForbidden spec.securityContext.runAsUser\n"
         "Forbidden spec.containers[0].securityContext.privileged\n"},
        {"what only Windows has is not for Linux",
         R"("securityContext":{"windowsOptions":{"runAsUserName":"a\\b\\c"}})", R"("os":{"name":"linux"})",
         "Invalid spec.containers[0].securityContext.windowsOptions.runAsUserName\n"
         "Forbidden spec.containers[0].securityContext.windowsOptions\n"},
        {"processes of a Windows host come together and on its network",
         R"("securityContext":{"windowsOptions":{"hostProcess":true}})",
         R"("initContainers":[{"name":"i","image":"i"}])", "Invalid spec\nInvalid spec.hostNetwork\n"},
    };
    expect_causes(cases);
}

struct AnnotationCase {
    const char* sentence;
    const char* annotations;
    const char* container;
    const char* causes;
};

TEST(PodRules, AnnotationsThatMeanSomething) {
    const AnnotationCase cases[] = {
        {"a deletion cost is a number", R"({"controller.kubernetes.io/pod-deletion-cost":"+5"})", "",
         "Invalid metadata.annotations[controller.kubernetes.io/pod-deletion-cost]\n"},
        {"a deletion cost may be negative", R"({"controller.kubernetes.io/pod-deletion-cost":"-5"})", "", ""},
        {"a mirror pod is on a node", R"({"kubernetes.io/config.mirror":"x"})", "",
         "Invalid metadata.annotations[kubernetes.io/config.mirror]\n"},
        {"a profile is one", R"({"container.apparmor.security.beta.kubernetes.io/z":"odd"})", "",
         "Invalid metadata.annotations[container.apparmor.security.beta.kubernetes.io/z]\n"
         "Invalid metadata.annotations[container.apparmor.security.beta.kubernetes.io/z]\n"},
        {"annotation and field agree", R"({"container.seccomp.security.alpha.kubernetes.io/c":"unconfined"})",
         R"("securityContext":{"seccompProfile":{"type":"RuntimeDefault"}})",
         "Forbidden spec.containers[0].securityContext.seccompProfile.type\n"},
    };
    for (const AnnotationCase& one : cases) {
        SCOPED_TRACE(one.sentence);
        const std::string metadata = std::string("\"annotations\":") + one.annotations;
        EXPECT_EQ(summary(validate_pod_create(read_pod(pod_json(one.container, "", metadata)))), one.causes);
    }
}

TEST(PodRules, TemplatesAreALittleFreer) {
    const auto causes = [](const std::string& json) {
        core::PodTemplateSpec pod_template;
        const core::Pod pod = read_pod(json);
        pod_template.metadata = pod.metadata;
        pod_template.spec = pod.spec;
        return summary(validate_pod_template(pod_template, FieldPath("spec").child("template")));
    };
    EXPECT_EQ(causes(pod_json(R"("image":" i ")", "")), "");
    EXPECT_EQ(causes(pod_json("", "", R"("name":"N_n")")), "");
    EXPECT_EQ(causes(pod_json("", "", R"("labels":{"a b":"c"})")), "Invalid spec.template.labels\n");
    EXPECT_EQ(causes(pod_json("", R"("ephemeralContainers":[{"name":"e","image":"i"}])")),
              "Forbidden spec.template.spec.ephemeralContainers\n");
    EXPECT_EQ(causes(pod_json("", R"("restartPolicy":"Never","ttlSecondsAfterFinished":5)")),
              "Forbidden spec.template.spec.ttlSecondsAfterFinished\n");
    EXPECT_EQ(causes(pod_json(R"("name":"")", "")), "Required spec.template.spec.containers[0].name\n");
}

TEST(PodRules, ABindingNamesANode) {
    core::Binding binding;
    EXPECT_EQ(summary(validate_binding(binding)), "Required target.name\n");
    binding.target.name = "n";
    EXPECT_EQ(summary(validate_binding(binding)), "");
    binding.target.kind = "Pod";
    EXPECT_EQ(summary(validate_binding(binding)), "NotSupported target.kind\n");
}

}  // namespace pod_pod_test
}  // namespace muster::api
