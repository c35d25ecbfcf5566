#include "server/objects/service_account_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace service_account_admission_test {

using api::core::Pod;
using api::core::ServiceAccount;

AdmissionChain account_chain() {
    AdmissionChain chain = default_admission();
    chain.mutating.push_back(admit_service_account());
    return chain;
}

struct ServiceAccountAdmissionTest : testing::Test {
    ServiceAccountAdmissionTest() { api.create<ServiceAccount>("metadata: {name: default}"); }
    const Pod& make(const std::string& spec = "") {
        return api.create<Pod>("metadata: {name: p" + std::to_string(++count) +
                               "}\nspec: {containers: [{name: c, image: x}]" + spec + "}");
    }
    ApiObjects api{{}, 0ns, account_chain()};
    int count = 0;
};

TEST_F(ServiceAccountAdmissionTest, APodThatNamesNoAccountIsTheDefaultOne) {
    const Pod& pod = make();
    EXPECT_EQ(pod.spec.service_account_name, "default");
    EXPECT_EQ(pod.spec.service_account, "default");
    EXPECT_TRUE(pod.spec.volumes.empty()) << "nothing is mounted into a plain pod";
}

TEST_F(ServiceAccountAdmissionTest, AnAccountThatIsNotThereRefusesThePod) {
    const auto outcome = api.try_create<Pod>(
        "metadata: {name: p}\nspec: {serviceAccountName: missing, containers: [{name: c, image: x}]}");
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, Code::kForbidden);
    EXPECT_EQ(
        outcome.error().message,
        "pods \"p\" is forbidden: error looking up service account ns/missing: serviceaccount \"missing\" not found");
}

TEST_F(ServiceAccountAdmissionTest, WhoGetsTheTokenAsAFile) {
    api.create<ServiceAccount>("metadata: {name: builder}");
    api.create<ServiceAccount>("{metadata: {name: silent}, automountServiceAccountToken: false}");
    api.create<ServiceAccount>("{metadata: {name: loud}, automountServiceAccountToken: true}");
    const struct {
        const char* story;
        const char* spec;
        bool has;
    } cases[] = {
        {"a plain pod does not", "", false},
        {"a pod with an account of its own does", ", serviceAccountName: builder", true},
        {"one that asks does", ", automountServiceAccountToken: true", true},
        {"one that asks not to does not", ", serviceAccountName: builder, automountServiceAccountToken: false", false},
        {"nor one whose account says so", ", serviceAccountName: silent", false},
        {"the pod's word comes before the account's",
         ", serviceAccountName: silent, automountServiceAccountToken: true", true},
        {"an account that asks", ", serviceAccountName: loud", true},
        {"one with a name in a service, which is mounted anyway", ", subdomain: s", true},
        {"one with aliases", ", hostAliases: [{ip: 1.1.1.1, hostnames: [a]}]", true},
        {"one that runs as another user", ", securityContext: {runAsUser: 1000}", true},
        {"one with another mount",
         ", initContainers: [{name: i, image: x, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v}]",
         true},
        {"one with a root of its own", ", initContainers: [{name: i, image: \"rootfs:/srv/root\"}]", true},
    };
    for (const auto& c : cases) {
        const Pod& pod = make(c.spec);
        const bool has = !pod.spec.volumes.empty() && pod.spec.volumes.back().source.projected;
        EXPECT_EQ(has, c.has) << c.story;
        EXPECT_EQ(!pod.spec.containers[0].volume_mounts.empty(), c.has) << c.story;
    }
}

TEST_F(ServiceAccountAdmissionTest, TheVolumeIsTheOneThatProgramsExpect) {
    const Pod& pod = make(", automountServiceAccountToken: true, initContainers: [{name: i, image: x}]");
    ASSERT_EQ(pod.spec.volumes.size(), 1u);
    const auto& sources = pod.spec.volumes[0].source.projected->sources;
    ASSERT_EQ(sources.size(), 3u);
    EXPECT_EQ(sources[0].service_account_token->path, "token");
    EXPECT_EQ(sources[0].service_account_token->expiration_seconds, 3607);
    EXPECT_EQ(sources[1].config_map->reference.name, "kube-root-ca.crt");
    EXPECT_EQ(sources[2].downward_api->items[0].field_ref->field_path, "metadata.namespace");
    for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers}) {
        ASSERT_EQ((*list)[0].volume_mounts.size(), 1u);
        EXPECT_EQ((*list)[0].volume_mounts[0].name, pod.spec.volumes[0].name);
        EXPECT_EQ((*list)[0].volume_mounts[0].mount_path, "/var/run/secrets/kubernetes.io/serviceaccount");
        EXPECT_TRUE((*list)[0].volume_mounts[0].read_only);
    }
}

TEST_F(ServiceAccountAdmissionTest, AMountThatIsThereStays) {
    const Pod& pod = api.create<Pod>(
        "metadata: {name: p}\nspec: {serviceAccountName: default, volumes: [{name: v}], containers: [{name: c, image: "
        "x, volumeMounts: [{name: v, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]}]}");
    EXPECT_EQ(pod.spec.volumes.size(), 1u);
    EXPECT_EQ(pod.spec.containers[0].volume_mounts.size(), 1u);
}

TEST_F(ServiceAccountAdmissionTest, PodsOfOneTemplateGoOnSharing) {
    Pod first =
        api::from_yaml<Pod>(
            "metadata: {name: a}\nspec: {automountServiceAccountToken: true, containers: [{name: c, image: x}]}")
            .value();
    const auto step = admit_service_account();
    std::vector<std::shared_ptr<TypedObject<Pod>>> pods;
    for (int i = 0; i < 2; ++i) {
        pods.push_back(std::make_shared<TypedObject<Pod>>(Pod(first)));
        AdmissionRequest request{Operation::kCreate,
                                 api::kind_info<Pod>(),
                                 "",
                                 "ns",
                                 "a",
                                 pods.back().get(),
                                 nullptr,
                                 nullptr,
                                 false,
                                 nullptr};
        ASSERT_TRUE(step(request, api.objects).ok());
    }
    const auto containers = [](const auto& pod) { return as<Pod>(*pod).spec.containers.data(); };
    EXPECT_EQ(containers(pods[0]), containers(pods[1]));
    EXPECT_NE(containers(pods[0]), first.spec.containers.data());
}

TEST_F(ServiceAccountAdmissionTest, TheAccountSaysWhatImagesArePulledWith) {
    api.create<ServiceAccount>("{metadata: {name: puller}, imagePullSecrets: [{name: s}]}");
    EXPECT_EQ(make(", serviceAccountName: puller").spec.image_pull_secrets[0].name, "s");
    EXPECT_EQ(make(", serviceAccountName: puller, imagePullSecrets: [{name: own}]").spec.image_pull_secrets[0].name,
              "own");
}

}  // namespace service_account_admission_test
}  // namespace muster::server
