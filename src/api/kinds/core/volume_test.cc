#include "api/kinds/core/volume.h"

#include <gtest/gtest.h>

#include "api/kinds/core/storage/persistent_volume.h"

namespace muster::api::core {
namespace volume_test {

TEST(Volume, ShowsItsSourceBesideItsNameInJsonAndAsOneMessageInProtobuf) {
    const TypeInfo& volume = Volume::info();
    EXPECT_EQ(volume.fields.size(), 2u);
    EXPECT_EQ(volume.json_fields.size(), 31u);
    EXPECT_FALSE(volume.find("source"));

    const FieldInfo* image = volume.find("image");
    ASSERT_TRUE(image);
    EXPECT_EQ(image->number, 30);
    EXPECT_EQ(image->offset, offsetof(Volume, source) + offsetof(VolumeSource, image));
}

// The pod's and the persistent volume's sources have the same names and different numbers.
TEST(PersistentVolumeSpec, HasTheSourcesOfAVolumeThatOutlivesPods) {
    const TypeInfo& spec = PersistentVolumeSpec::info();
    EXPECT_EQ(spec.json_fields.size(), 9u + 22u);
    EXPECT_FALSE(spec.find("emptyDir"));
    EXPECT_EQ(spec.find("hostPath")->number, 3);
    EXPECT_EQ(Volume::info().find("hostPath")->number, 1);
}

struct Reference {
    const char* what;
    const TypeInfo& type;
    const char* field;
    const char* names;
};

// A pod's secrets are in its own namespace; a persistent volume has none, so its references say which.
TEST(SecretsOfVolumes, AreNamedWithANamespaceOnlyWhereThereIsNone) {
    const Reference references[] = {
        {"a driver's volume of a pod", CSIVolumeSource::info(), "nodePublishSecretRef", "LocalObjectReference"},
        {"a driver's volume", CSIPersistentVolumeSource::info(), "nodePublishSecretRef", "SecretReference"},
        {"iSCSI of a pod", ISCSIVolumeSource::info(), "secretRef", "LocalObjectReference"},
        {"iSCSI", ISCSIPersistentVolumeSource::info(), "secretRef", "SecretReference"},
        {"StorageOS", StorageOSPersistentVolumeSource::info(), "secretRef", "ObjectReference"},
    };
    for (const Reference& reference : references) {
        const FieldInfo* field = reference.type.find(reference.field);
        ASSERT_TRUE(field) << reference.what;
        EXPECT_EQ(field->value->element->type().name, reference.names) << reference.what;
    }
}

TEST(ConfigMapVolumeSource, TakesTheConfigMapsNameAmongItsOwnFields) {
    const TypeInfo& source = ConfigMapVolumeSource::info();
    EXPECT_TRUE(source.find("name"));
    EXPECT_FALSE(source.find("secretName"));
    EXPECT_TRUE(SecretVolumeSource::info().find("secretName"));
    EXPECT_FALSE(SecretVolumeSource::info().find("name"));
}

TEST(Volume, WithoutASourceComparesEqualToAnotherAndCopiesShareWhatTheyHold) {
    Volume volume{.name = "work"};
    EXPECT_EQ(volume, Volume{.name = "work"});
    volume.source.empty_dir.edit().medium = "Memory";
    const Volume copy = volume;
    EXPECT_EQ(copy.source.empty_dir.get(), volume.source.empty_dir.get());
    volume.source.empty_dir.edit().medium = "";
    EXPECT_NE(copy, volume);
    EXPECT_EQ(copy.source.empty_dir->medium, "Memory");
}

}  // namespace volume_test
}  // namespace muster::api::core
