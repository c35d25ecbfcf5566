#include "api/rules/kind_rules.h"

#include <gtest/gtest.h>

#include <cstring>

#include "api/kinds/all.h"
#include "api/kinds/kind_list.h"
#include "api/testing/drafts.h"

namespace muster::api {
namespace kind_rules_test {

// An object of any kind, from JSON with single quotes.
template <class K>
struct Draft {
    K object{};
    const KindRules& rules = *find_rules(kind_info<K>());

    explicit Draft(std::string_view json) : object(make_object<K>(json)) {
        object.metadata.name = "x";
        if (K::kKindOptions.namespaced) object.metadata.namespace_ = "n";
        object.metadata.uid = "u1";
        rules.fill_defaults(&object);
        rules.prepare_create(&object);
        object.metadata.resource_version = "7";
    }
    std::string create_errors() const { return print_errors(rules.validate_create(&object, {})); }
    std::string update_errors(std::string_view json) const {
        K now = make_object<K>(json);
        now.metadata.name = object.metadata.name;
        now.metadata.namespace_ = object.metadata.namespace_;
        rules.fill_defaults(&now);
        rules.prepare_update(&now, &object);
        return print_errors(rules.validate_update(&now, &object, {}));
    }
};

template <class K>
std::string errors_of(std::string_view json) {
    return Draft<K>(json).create_errors();
}

TEST(KindRules, EveryStoredKindHasARow) {
    int rows = 0;
    for (const KindInfo* kind : all_kinds()) rows += find_rules(*kind) != nullptr;
    EXPECT_EQ(rows, 32);
    EXPECT_EQ(find_rules(kind_info<meta::Status>()), nullptr);
    EXPECT_EQ(find_rules(kind_info<core::Binding>()), nullptr);
    EXPECT_EQ(find_rules(kind_info<core::ConfigMap>())->prepare_status_update, nullptr);
    EXPECT_NE(find_rules(kind_info<core::Node>())->prepare_status_update, nullptr);
}

TEST(KindRules, ACreatedObjectIsNotBeingDeleted) {
    const Draft<core::ConfigMap> draft(
        "{'metadata': {'deletionTimestamp': '2026-01-01T00:00:00Z', 'deletionGracePeriodSeconds': 3}}");
    EXPECT_FALSE(draft.object.metadata.deletion_timestamp);
    EXPECT_FALSE(draft.object.metadata.deletion_grace_period_seconds);
}

TEST(KindRules, AnUpdateCannotTouchWhatTheServerKeeps) {
    Draft<core::ConfigMap> draft("{}");
    draft.object.metadata.creation_timestamp = Time::from_unix_seconds(5);
    draft.object.metadata.deletion_timestamp = Time::from_unix_seconds(6);
    core::ConfigMap now = make_object<core::ConfigMap>("{'metadata': {'generation': 9}}");
    draft.rules.prepare_update(&now, &draft.object);
    EXPECT_EQ(now.metadata.generation, 0);
    EXPECT_EQ(now.metadata.uid, "u1");
    EXPECT_EQ(now.metadata.resource_version, "7");
    EXPECT_EQ(now.metadata.creation_timestamp, Time::from_unix_seconds(5));
    EXPECT_EQ(now.metadata.deletion_timestamp, Time::from_unix_seconds(6));
}

TEST(ConfigMapRules, KeysAndFreezing) {
    EXPECT_EQ(errors_of<core::ConfigMap>("{'data': {'a.b_c-D': 'x'}}"), "");
    EXPECT_EQ(errors_of<core::ConfigMap>("{'data': {'k': 'x'}, 'binaryData': {'k': 'eA=='}}"),
              "data[k]: Invalid value: \"k\": duplicate of key present in binaryData");
    EXPECT_TRUE(
        errors_of<core::ConfigMap>("{'data': {'a/b': 'x'}}").starts_with("data[a/b]: Invalid value: \"a/b\": "));
    EXPECT_EQ(errors_of<core::ConfigMap>("{'data': {'k': '" + std::string((1u << 20) + 1, 'x') + "'}}"),
              ": Too long: may not be more than 1048576 bytes");
    const Draft<core::ConfigMap> frozen("{'data': {'k': 'v'}, 'immutable': true}");
    EXPECT_EQ(frozen.update_errors("{'data': {'k': 'v'}, 'immutable': true, 'metadata': {'labels': {'a': 'b'}}}"), "");
    EXPECT_EQ(frozen.update_errors("{'data': {'k': 'w'}}"),
              "immutable: Forbidden: field is immutable when `immutable` is set\n"
              "data: Forbidden: field is immutable when `immutable` is set");
    const Draft<core::ConfigMap> thawed("{'data': {'k': 'v'}}");
    EXPECT_EQ(thawed.update_errors("{'data': {'k': 'w'}, 'immutable': true}"), "");
}

TEST(SecretRules, TypesDemandKeys) {
    const struct {
        const char* name;
        const char* json;
        const char* errors;
    } cases[] = {
        {"anything goes", "{'stringData': {'a': 'b'}}", ""},
        {"an unknown type", "{'type': 'example.com/x'}", ""},
        {"a token names its account", "{'type': 'kubernetes.io/service-account-token'}",
         "metadata.annotations[kubernetes.io/service-account.name]: Required value"},
        {"a docker config is there", "{'type': 'kubernetes.io/dockerconfigjson'}",
         "data[.dockerconfigjson]: Required value"},
        {"a docker config is JSON, and is not shown",
         "{'type': 'kubernetes.io/dockerconfigjson', 'stringData': {'.dockerconfigjson': 'x'}}",
         "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": must be a JSON object"},
        {"basic authentication has a name or a password", "{'type': 'kubernetes.io/basic-auth'}",
         "data[username]: Required value\ndata[password]: Required value"},
        {"a password is enough", "{'type': 'kubernetes.io/basic-auth', 'stringData': {'password': ''}}", ""},
        {"ssh has a key", "{'type': 'kubernetes.io/ssh-auth', 'stringData': {'ssh-privatekey': ''}}",
         "data[ssh-privatekey]: Required value"},
        {"tls has both", "{'type': 'kubernetes.io/tls', 'stringData': {'tls.crt': 'x'}}",
         "data[tls.key]: Required value"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        EXPECT_EQ(errors_of<core::Secret>(test.json), test.errors);
    }
    EXPECT_EQ(Draft<core::Secret>("{}").update_errors("{'type': 'example.com/x'}"),
              "type: Invalid value: \"example.com/x\": field is immutable");
}

TEST(SecretDefaults, StringDataGoesIntoData) {
    const Draft<core::Secret> secret("{'data': {'a': 'eA==', 'b': 'eQ=='}, 'stringData': {'a': 'z'}}");
    EXPECT_EQ(secret.object.type, "Opaque");
    EXPECT_EQ(secret.object.data.find("a")->bytes, "z");
    EXPECT_EQ(secret.object.data.find("b")->bytes, "y");
    EXPECT_TRUE(secret.object.string_data.empty());
}

TEST(ServiceRules, NamesForPods) {
    EXPECT_EQ(errors_of<core::Service>("{'spec': {'clusterIP': 'None', 'selector': {'a': 'b'}}}"), "");
    EXPECT_EQ(errors_of<core::Service>("{'spec': {'selector': {'a': 'b'}}}"), "spec.ports: Required value");
    EXPECT_EQ(errors_of<core::Service>("{'spec': {'clusterIP': 'None', 'ports': [{'port': 1}, {'port': 1}]}}"),
              "spec.ports[0].name: Required value\n"
              "spec.ports[1].name: Required value\n"
              "spec.ports[1]: Duplicate value: {\"protocol\":\"TCP\",\"port\":1,\"targetPort\":1}");
    EXPECT_EQ(errors_of<core::Service>("{'spec': {'type': 'Odd', 'ports': [{'port': 0, 'targetPort': 1}]}}"),
              "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
              "spec.type: Unsupported value: \"Odd\": supported values: \"ClusterIP\", \"ExternalName\", "
              "\"LoadBalancer\", \"NodePort\"");
    EXPECT_EQ(errors_of<core::Service>("{'spec': {'type': 'ExternalName'}}"), "spec.externalName: Required value");
}

TEST(LeaseRules, Durations) {
    EXPECT_EQ(errors_of<coordination::Lease>("{'spec': {'holderIdentity': '', 'leaseDurationSeconds': 1}}"), "");
    EXPECT_EQ(errors_of<coordination::Lease>("{'spec': {'leaseDurationSeconds': 0, 'leaseTransitions': -1}}"),
              "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0\n"
              "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0");
    EXPECT_EQ(errors_of<coordination::Lease>("{'spec': {'preferredHolder': 'a'}}"),
              "spec.preferredHolder: Forbidden: may only be specified when `strategy` is defined");
}

TEST(PriorityClassRules, ValuesAreBoundedAndForEver) {
    EXPECT_EQ(errors_of<scheduling::PriorityClass>("{'value': 1000000000}"), "");
    EXPECT_EQ(errors_of<scheduling::PriorityClass>("{'value': 1000000001}"),
              "value: Forbidden: maximum allowed value of a user defined priority is 1000000000");
    EXPECT_EQ(errors_of<scheduling::PriorityClass>("{'value': 1, 'preemptionPolicy': 'Odd'}"),
              "preemptionPolicy: Unsupported value: \"Odd\": supported values: \"PreemptLowerPriority\", \"Never\"");
    const Draft<scheduling::PriorityClass> stored("{'value': 1}");
    EXPECT_EQ(stored.update_errors("{'value': 1, 'description': 'd'}"), "");
    EXPECT_EQ(stored.update_errors("{'value': 2, 'preemptionPolicy': 'Never'}"),
              "value: Forbidden: may not be changed in an update.\n"
              "preemptionPolicy: Invalid value: \"Never\": field is immutable");
}

TEST(PriorityClassRules, SystemNamesAreTheSystems) {
    Draft<scheduling::PriorityClass> draft("{'value': 2000001000}");
    draft.object.metadata.name = "system-node-critical";
    EXPECT_EQ(draft.create_errors(), "");
    draft.object.metadata.name = "system-mine";
    EXPECT_TRUE(draft.create_errors().starts_with("metadata.name: Forbidden: priority class names with 'system-'"));
}

TEST(RuntimeClassRules, OneHandlerForEver) {
    using runtime::RuntimeClass;
    EXPECT_EQ(errors_of<RuntimeClass>("{'handler': 'runc'}"), "");
    EXPECT_TRUE(errors_of<RuntimeClass>("{'handler': 'Run.C'}").starts_with("handler: Invalid value: \"Run.C\": "));
    EXPECT_TRUE(errors_of<RuntimeClass>("{'handler': ''}").starts_with("handler: Invalid value: \"\": "));
    const Draft<RuntimeClass> stored("{'handler': 'a', 'overhead': {'podFixed': {'cpu': '1'}}}");
    EXPECT_EQ(stored.update_errors("{'handler': 'a', 'overhead': {'podFixed': {'cpu': '2'}}}"), "");
    EXPECT_EQ(stored.update_errors("{'handler': 'b'}"), "handler: Invalid value: \"b\": field is immutable");
}

TEST(RuntimeClassRules, OverheadAndSchedulingAreAsInPods) {
    using runtime::RuntimeClass;
    EXPECT_EQ(errors_of<RuntimeClass>("{'handler': 'a', 'overhead': {'podFixed': {'cpu': '250m', 'memory': '1Mi'}}, "
                                      "'scheduling': {'nodeSelector': {'a': 'b'}, 'tolerations': "
                                      "[{'key': 'k', 'operator': 'Exists'}, {'key': 'l', 'operator': 'Exists'}]}}"),
              "");
    EXPECT_EQ(errors_of<RuntimeClass>("{'handler': 'a', 'overhead': {'podFixed': {'cpu': '-1'}}}"),
              "overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0");
    EXPECT_TRUE(errors_of<RuntimeClass>("{'handler': 'a', 'scheduling': {'nodeSelector': {'a b': 'c'}}}")
                    .starts_with("scheduling.nodeSelector: Invalid value: \"a b\": "));
    EXPECT_TRUE(errors_of<RuntimeClass>("{'handler': 'a', 'scheduling': {'tolerations': [{'key': 'k', 'operator': "
                                        "'Exists'}, {'key': 'k', 'operator': 'Exists', 'tolerationSeconds': 1, "
                                        "'effect': ''}]}}")
                    .find("scheduling.tolerations[1]: Duplicate value: ") != std::string::npos);
}

TEST(DisruptionBudgetRules, OneAmount) {
    using policy::PodDisruptionBudget;
    EXPECT_EQ(errors_of<PodDisruptionBudget>("{'spec': {'minAvailable': '50%'}}"), "");
    EXPECT_EQ(errors_of<PodDisruptionBudget>("{'spec': {'maxUnavailable': -1}}"),
              "spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0");
    EXPECT_EQ(errors_of<PodDisruptionBudget>("{'spec': {'minAvailable': '101%'}}"),
              "spec.minAvailable: Invalid value: \"101%\": must not be greater than 100%");
    EXPECT_EQ(
        errors_of<PodDisruptionBudget>("{'spec': {'minAvailable': 1, 'maxUnavailable': 1}}"),
        "spec: Invalid value: {\"minAvailable\":1,\"maxUnavailable\":1}: minAvailable and maxUnavailable cannot be "
        "both set");
}

TEST(ResourceQuotaRules, WhatCanBeCounted) {
    using core::ResourceQuota;
    EXPECT_EQ(errors_of<ResourceQuota>("{'spec': {'hard': {'pods': '3', 'requests.cpu': '1500m', 'count/jobs.batch': "
                                       "'9', 'requests.hugepages-2Mi': '4Mi'}}}"),
              "");
    EXPECT_EQ(errors_of<ResourceQuota>("{'spec': {'hard': {'pods': '1500m', 'cpu': '-1', 'odd': '1'}}}"),
              "spec.hard[cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n"
              "spec.hard[odd]: Invalid value: \"odd\": must be a standard resource type or fully qualified\n"
              "spec.hard[odd]: Invalid value: \"odd\": must be a standard resource for quota\n"
              "spec.hard[pods]: Invalid value: \"1500m\": must be an integer");
    EXPECT_EQ(errors_of<ResourceQuota>("{'spec': {'scopes': ['BestEffort', 'NotBestEffort']}}"),
              "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes");
    EXPECT_EQ(Draft<ResourceQuota>("{'spec': {'hard': {'pods': '1'}}}")
                  .update_errors("{'spec': {'hard': {'pods': '2'}, 'scopes': ['BestEffort']}}"),
              "spec.scopes: Invalid value: [\"BestEffort\"]: field is immutable");
}

TEST(KindRules, AnUpdateIsRefusedForItsMetadataBeforeAnythingElse) {
    const Draft<batch::Job> draft(
        "{'spec': {'template': {'spec': {'containers': [{'name': 'c', 'image': 'i'}], "
        "'restartPolicy': 'Never'}}}}");
    EXPECT_EQ(draft.create_errors(), "");
    const char* const changed =
        "{'metadata': {'uid': 'u2'}, 'spec': {'completionMode': 'Indexed', 'completions': 1, 'template': {'spec': "
        "{'containers': [{'name': 'c', 'image': 'i'}], 'restartPolicy': 'Never'}}}}";
    EXPECT_EQ(draft.update_errors(changed), "metadata.uid: Invalid value: \"u2\": field is immutable");
}

TEST(PodRules, AStatusThatLeavesOutItsGenerationKeepsTheOneThatItHad) {
    const Draft<core::Pod> draft("{'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}");
    core::Pod before = draft.object;
    before.status.observed_generation = 3;
    before.status.conditions = {core::PodCondition{.type = "Ready", .status = "True"},
                                core::PodCondition{.type = "PodScheduled", .status = "True"}};
    before.status.conditions.edit()[0].observed_generation = 2;
    core::Pod now = before;
    now.status.observed_generation = 0;
    now.status.conditions.edit()[0].observed_generation = 0;
    now.status.conditions.edit()[1].observed_generation = 4;
    draft.rules.prepare_status_update(&now, &before);
    EXPECT_EQ(now.status.observed_generation, 3);
    EXPECT_EQ(now.status.conditions[0].observed_generation, 2);
    EXPECT_EQ(now.status.conditions[1].observed_generation, 4) << "one that is given stands";
}

TEST(ResourceQuotaRules, ScopesFitWhatIsCounted) {
    using core::ResourceQuota;
    const auto selector = [](const std::string& demand) {
        return errors_of<ResourceQuota>(
            ("{'spec': {'hard': {'pods': '1'}, 'scopeSelector': {'matchExpressions': [" + demand + "]}}}").c_str());
    };
    EXPECT_EQ(errors_of<ResourceQuota>("{'spec': {'hard': {'configmaps': '1'}, 'scopes': ['Terminating']}}"),
              "spec.scopes: Invalid value: [\"Terminating\"]: unsupported scope applied to resource");
    EXPECT_EQ(errors_of<ResourceQuota>("{'spec': {'hard': {'cpu': '1'}, 'scopes': ['BestEffort']}}"),
              "spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to resource");
    EXPECT_EQ(selector("{'scopeName': 'PriorityClass', 'operator': 'In', 'values': ['high']}"), "");
    EXPECT_EQ(selector("{'scopeName': 'PriorityClass', 'operator': 'In'}"),
              "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` "
              "is "
              "'In' or 'NotIn' for scope selector");
    EXPECT_EQ(selector("{'scopeName': 'Terminating', 'operator': 'DoesNotExist'}"),
              "spec.scopeSelector.matchExpressions.operator: Invalid value: \"DoesNotExist\": must be 'Exists' when "
              "scope "
              "is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
              "ResourceQuotaScopeBestEffort, "
              "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
    EXPECT_EQ(selector("{'scopeName': 'PriorityClass', 'operator': 'Exists', 'values': ['x']}"),
              "spec.scopeSelector.matchExpressions.values: Invalid value: [\"x\"]: must be no value when `operator` is "
              "'Exist' or 'DoesNotExist' for scope selector");
}

TEST(EventRules, OldAndNewForms) {
    EXPECT_EQ(errors_of<core::Event>("{'involvedObject': {'namespace': 'n'}}"), "");
    EXPECT_EQ(errors_of<core::Event>("{'involvedObject': {'namespace': 'm'}}"),
              "involvedObject.namespace: Invalid value: \"m\": does not match event.namespace");
    EXPECT_EQ(
        errors_of<core::Event>("{'involvedObject': {'namespace': 'n'}, 'eventTime': '2026-01-01T00:00:00.000000Z', "
                               "'reportingComponent': 'example.com/c', 'reportingInstance': 'i', 'action': 'A'}"),
        "reason: Required value");
    const char* const complete =
        "{'regarding': {'namespace': 'n'}, 'eventTime': '2026-01-01T00:00:00.000000Z', 'reportingController': "
        "'example.com/c', 'reportingInstance': 'i', 'action': 'A', 'reason': 'R', 'type': 'Normal'}";
    EXPECT_EQ(errors_of<events::Event>(complete), "");
    EXPECT_EQ(errors_of<events::Event>("{'regarding': {'namespace': 'n'}, 'deprecatedCount': 1}"),
              "eventTime: Required value\n"
              "type: Invalid value: \"\": has invalid value: \n"
              "count: Invalid value: \"\": needs to be unset");
    const std::string series = std::string(complete, std::strlen(complete) - 1) +
                               ", 'series': {'count': 1, 'lastObservedTime': '2026-01-01T00:00:00.000000Z'}}";
    EXPECT_EQ(Draft<events::Event>(complete).update_errors(series),
              "series.count: Invalid value: \"\": should be at least 2");
}

TEST(RoleRules, VerbsAndSubjects) {
    EXPECT_EQ(errors_of<rbac::Role>("{'rules': [{'verbs': ['get'], 'apiGroups': [''], 'resources': ['pods']}]}"), "");
    EXPECT_EQ(errors_of<rbac::Role>("{'rules': [{'nonResourceURLs': ['/x'], 'resources': ['pods']}]}"),
              "rules[0].verbs: Required value\n"
              "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs\n"
              "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular resources and "
              "non-resource URLs");
    EXPECT_EQ(errors_of<rbac::ClusterRole>("{'rules': [{'verbs': ['get'], 'nonResourceURLs': ['/x']}]}"), "");
    const Draft<rbac::RoleBinding> binding(
        "{'roleRef': {'kind': 'Role', 'name': 'system:a'}, 'subjects': [{'kind': 'User', 'name': 'u'}, {'kind': "
        "'ServiceAccount', 'name': 's', 'namespace': 'n'}]}");
    EXPECT_EQ(binding.create_errors(), "");
    EXPECT_EQ(binding.object.subjects[0].api_group, "rbac.authorization.k8s.io");
    EXPECT_EQ(
        errors_of<rbac::RoleBinding>("{'roleRef': {'kind': 'Odd', 'name': 'a/b'}, 'subjects': [{'kind': 'Odd'}]}"),
        "roleRef.kind: Unsupported value: \"Odd\": supported values: \"Role\", \"ClusterRole\"\n"
        "roleRef.name: Invalid value: \"a/b\": may not contain '/'\n"
        "subjects[0].name: Required value\n"
        "subjects[0].kind: Unsupported value: \"Odd\": supported values: \"ServiceAccount\", \"User\", \"Group\"");
    EXPECT_EQ(binding.update_errors("{'roleRef': {'kind': 'Role', 'name': 'b'}}"),
              "roleRef: Invalid value: "
              "{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"b\"}: cannot change roleRef");
}

TEST(PodRules, CountGenerations) {
    const Draft<core::Pod> stored("{'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}");
    EXPECT_EQ(stored.object.metadata.generation, 1);
    core::Pod now = stored.object;
    now.metadata.labels.set("a", "b");
    now.metadata.generation = 7;
    stored.rules.prepare_update(&now, &stored.object);
    EXPECT_EQ(now.metadata.generation, 1) << "the client does not count";
    now.spec.containers.edit()[0].image = "j";
    stored.rules.prepare_update(&now, &stored.object);
    EXPECT_EQ(now.metadata.generation, 2);
    now.status.phase = "Running";
    stored.rules.prepare_status_update(&now, &stored.object);
    EXPECT_EQ(now.metadata.generation, 1);
    core::Pod old = stored.object;
    old.metadata.generation = 0;
    stored.rules.prepare_update(&now, &old);
    EXPECT_EQ(now.metadata.generation, 0);
}

TEST(PodTemplateRules, AnUpdateIsCheckedAsACreateIs) {
    const Draft<core::PodTemplate> stored("{'template': {'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}}");
    EXPECT_EQ(stored.update_errors("{'template': {'spec': {'containers': [{'name': 'c', 'image': 'j'}]}}}"), "");
    EXPECT_EQ(stored.update_errors("{'template': {'spec': {'containers': []}}}"),
              errors_of<core::PodTemplate>("{'template': {'spec': {'containers': []}}}"));
    EXPECT_NE(stored.update_errors("{'template': {'spec': {'containers': []}}}"), "");
}

TEST(PodTemplateRules, CountGenerations) {
    const char* const json = "{'template': {'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}}";
    const Draft<core::PodTemplate> stored(json);
    EXPECT_EQ(stored.create_errors(), "");
    EXPECT_EQ(stored.object.metadata.generation, 1);
    core::PodTemplate now = stored.object;
    stored.rules.prepare_update(&now, &stored.object);
    EXPECT_EQ(now.metadata.generation, 1);
    now.template_.spec.hostname = "h";
    stored.rules.prepare_update(&now, &stored.object);
    EXPECT_EQ(now.metadata.generation, 2);
}

}  // namespace kind_rules_test
}  // namespace muster::api
