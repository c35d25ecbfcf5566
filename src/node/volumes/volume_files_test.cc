#include "node/volumes/volume_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace volume_files_test {

using api::core::ConfigMap;
using api::core::Pod;
using api::core::Secret;
using testing::ElementsAre;

// Each file as "path=content mode", with its owner when it has one.
class VolumeFilesTest : public testing::Test {
protected:
    VolumeFilesTest() {
        referred_.config_maps["m"] = std::make_shared<const ConfigMap>(
            decode<ConfigMap>("{metadata: {name: m}, data: {a: one, b: two}, binaryData: {c: AAE=}}"));
        referred_.config_maps["none"] = nullptr;
        referred_.secrets["s"] =
            std::make_shared<const Secret>(decode<Secret>("{metadata: {name: s}, data: {key: c2VjcmV0}}"));
        referred_.secrets["none"] = nullptr;
    }
    template <class K>
    static K decode(const std::string& yaml) {
        return api::from_yaml<K>(yaml).value();
    }
    std::vector<std::string> files(const std::string& volume, const std::string& of_pod = "", bool may_give = true) {
        const Pod pod = decode<Pod>("metadata: {name: p, namespace: ns, uid: u, labels: {app: web}}\nspec: {" + of_pod +
                                    "containers: [{name: c, image: i, resources: {limits: {memory: 64Mi}}}], "
                                    "volumes: [{name: v, " +
                                    volume + "}]}");
        VolumeView view{pod, facts_, pod_ip_, referred_, {}, may_give};
        view.token = [](const api::core::ServiceAccountTokenProjection& projection) {
            return Result<std::string>("token for " + projection.audience.str());
        };
        const auto made = make_volume_files(pod.spec.volumes[0], view);
        if (!made.ok()) return {made.error().message};
        std::vector<std::string> out;
        for (const os::PayloadFile& file : *made) {
            char mode[8];
            std::snprintf(mode, sizeof(mode), "%o", file.mode);
            out.push_back(file.path + '=' + file.content + ' ' + mode);
            if (file.user) out.back() += " user " + std::to_string(*file.user);
            if (file.group) out.back() += " group " + std::to_string(*file.group);
        }
        return out;
    }

    Referred referred_;
    NodeFacts facts_{"n1", "10.0.0.1", api::Quantity::from_int(8), api::Quantity::parse("16Gi").value()};
    Text pod_ip_ = "10.1.1.1";
};

TEST_F(VolumeFilesTest, AConfigMapsKeysAreFiles) {
    using namespace std::string_literals;
    EXPECT_THAT(files("configMap: {name: m}"), ElementsAre("a=one 644", "b=two 644", "c=\0\1 644"s));
    EXPECT_THAT(files("configMap: {name: m, defaultMode: 0600, items: [{key: b, path: x/y, mode: 0400}, "
                      "{key: a, path: z}]}"),
                ElementsAre("x/y=two 400", "z=one 600"));
}

TEST_F(VolumeFilesTest, WhatIsMissingIsToldInAKubeletsWords) {
    EXPECT_THAT(files("configMap: {name: none}"), ElementsAre("configmap \"none\" not found"));
    EXPECT_THAT(files("secret: {secretName: none}"), ElementsAre("secret \"none\" not found"));
    EXPECT_THAT(files("configMap: {name: m, items: [{key: nokey, path: x}]}"),
                ElementsAre("configmap references non-existent config key: nokey"));
    EXPECT_THAT(files("secret: {secretName: s, items: [{key: nokey, path: x}]}"),
                ElementsAre("references non-existent secret key: nokey"));
}

TEST_F(VolumeFilesTest, WhatIsOptionalMayBeMissing) {
    EXPECT_THAT(files("configMap: {name: none, optional: true}"), ElementsAre());
    EXPECT_THAT(
        files("secret: {secretName: s, optional: true, items: [{key: nokey, path: x}, {key: key, path: there}]}"),
        ElementsAre("there=secret 644"));
}

TEST_F(VolumeFilesTest, ThePodTellsOfItself) {
    EXPECT_THAT(files("downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}, "
                      "{path: memory, resourceFieldRef: {containerName: c, resource: limits.memory, divisor: 1Mi}}]}"),
                ElementsAre("labels=app=\"web\" 644", "memory=64 644"));
}

TEST_F(VolumeFilesTest, AProjectedVolumeHoldsAllItsSources) {
    const std::string volume =
        "projected: {defaultMode: 0440, sources: [{configMap: {name: m, items: [{key: a, path: a}]}}, "
        "{secret: {name: s}}, {serviceAccountToken: {path: token, audience: api}}, "
        "{downwardAPI: {items: [{path: ns, fieldRef: {fieldPath: metadata.namespace}}]}}]}";
    EXPECT_THAT(files(volume), ElementsAre("a=one 440", "key=secret 440", "token=token for api 440", "ns=ns 440"));
    EXPECT_THAT(files("projected: {sources: [{clusterTrustBundle: {path: x}}]}"),
                ElementsAre(testing::HasSubstr("not cluster trust bundles")));
}

TEST_F(VolumeFilesTest, OfOnePathTheLaterSourceStands) {
    EXPECT_THAT(files("projected: {sources: [{configMap: {name: m, items: [{key: a, path: x}, {key: a, path: z}]}}, "
                      "{configMap: {name: m, items: [{key: b, path: x, mode: 0400}]}}]}"),
                ElementsAre("x=two 400", "z=one 644"));
}

TEST_F(VolumeFilesTest, AVolumeThatNamesASourceManyTimesIsBounded) {
    referred_.config_maps["big"] = std::make_shared<const ConfigMap>(
        decode<ConfigMap>("{metadata: {name: big}, data: {a: " + std::string(1'000'000, 'x') + "}}"));
    std::string sources;
    for (int i = 0; i < 100; ++i) {
        const std::string path = "f" + std::to_string(i);
        sources += (i == 0 ? "" : ", ") + ("{configMap: {name: big, items: [{key: a, path: " + path + "}]}}");
    }
    EXPECT_THAT(files("projected: {sources: [" + sources + "]}"), ElementsAre("its files have more than 64 MiB"));
}

TEST_F(VolumeFilesTest, FilesBelongToTheGroupAndTokensToTheUserOfThePod) {
    EXPECT_THAT(files("secret: {secretName: s, defaultMode: 0400}", "securityContext: {fsGroup: 5}, "),
                ElementsAre("key=secret 440 group 5"));
    const std::string token = "projected: {sources: [{serviceAccountToken: {path: token}}]}";
    EXPECT_THAT(files(token, "securityContext: {runAsUser: 7}, "), ElementsAre("token=token for  600 user 7"));
    EXPECT_THAT(files(token, "securityContext: {runAsUser: 7}, ", false), ElementsAre("token=token for  644"))
        << "an ordinary user can give nothing away";
}

}  // namespace volume_files_test
}  // namespace muster::node
