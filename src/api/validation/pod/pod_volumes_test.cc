#include "api/validation/pod/pod_cases_test.h"

namespace muster::api {
namespace pod_volumes_test {

TEST(PodVolumes, SourcesInUse) {
    const PodCase cases[] = {
        {"the usual ones", "",
         R"("serviceAccountName":"sa","volumes":[{"name":"a"},{"name":"b","hostPath":{"path":"/x","type":"Directory"}},
            {"name":"c","configMap":{"name":"m","items":[{"key":"k","path":"d/f"}]}},{"name":"d","secret":{"secretName":"s"}},
            {"name":"e","downwardAPI":{"items":[{"path":"l","fieldRef":{"fieldPath":"metadata.labels"}}]}},
            {"name":"f","projected":{"sources":[{"configMap":{"name":"m"}},{"serviceAccountToken":{"path":"t"}}]}},
            {"name":"g","persistentVolumeClaim":{"claimName":"x"}},{"name":"h","nfs":{"server":"s","path":"/p"}},
            {"name":"i","csi":{"driver":"d.example.com"}},{"name":"j","image":{"reference":"r"}},
            {"name":"k","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}},
            {"name":"l","iscsi":{"targetPortal":"p","iqn":"iqn.2001-04.com.example:disk1","lun":1}}])",
         ""},
        {"a volume has a name", "", R"("volumes":[{"emptyDir":{},"name":""}])", "Required spec.volumes[0].name\n"},
        {"the name is a label", "", R"("volumes":[{"name":"a.b"}])", "Invalid spec.volumes[0].name\n"},
        {"names are unique", "", R"("volumes":[{"name":"a"},{"name":"a"}])", "Duplicate spec.volumes[1].name\n"},
        {"a volume is of one kind", "", R"("volumes":[{"name":"a","emptyDir":{},"hostPath":{"path":"/x"}}])",
         "Forbidden spec.volumes[0].hostPath\n"},
        {"a limit is not negative", "", R"("volumes":[{"name":"a","emptyDir":{"sizeLimit":"-1"}}])",
         "Forbidden spec.volumes[0].emptyDir.sizeLimit\n"},
        {"a path of the node does not step back", "", R"("volumes":[{"name":"a","hostPath":{"path":"/x/../y"}}])",
         "Invalid spec.volumes[0].hostPath.path\n"},
        {"a path of the node has no NUL byte", "", R"("volumes":[{"name":"a","hostPath":{"path":"/x\u0000/../y"}}])",
         "Invalid spec.volumes[0].hostPath.path\nInvalid spec.volumes[0].hostPath.path\n"},
        {"a file of a volume has no NUL byte", "",
         R"("serviceAccountName":"sa",
            "volumes":[{"name":"a","configMap":{"name":"m","items":[{"key":"k","path":"f\u0000g"}]}},
            {"name":"b","downwardAPI":{"items":[{"path":"l\u0000","fieldRef":{"fieldPath":"metadata.labels"}}]}},
            {"name":"c","projected":{"sources":[{"serviceAccountToken":{"path":"t\u0000"}}]}}])",
         "Invalid spec.volumes[0].configMap.items[0].path\nInvalid spec.volumes[1].downwardAPI.path\n"
         "Invalid spec.volumes[2].projected.path\n"},
        {"two dots in a name are no step back", "", R"("volumes":[{"name":"a","hostPath":{"path":"/x..y/..z"}}])", ""},
        {"what is at the path is of a known type", "",
         R"("volumes":[{"name":"a","hostPath":{"path":"/x","type":"Pipe"}},{"name":"b","hostPath":{"path":""}}])",
         "NotSupported spec.volumes[0].hostPath.type\nRequired spec.volumes[1].hostPath.path\n"},
        {"modes are permission bits", "", R"("volumes":[{"name":"a","configMap":{"name":"m","defaultMode":512}}])",
         "Invalid spec.volumes[0].configMap.defaultMode\n"},
        {"files lie in the volume", "",
         R"("volumes":[{"name":"a","configMap":{"name":"m","items":[{"key":"k","path":"/abs"},{"key":"","path":"../up"},
            {"key":"k","path":"..data"}]}}])",
         "Invalid spec.volumes[0].configMap.items[0].path\nRequired spec.volumes[0].configMap.items[1].key\n"
         "Invalid spec.volumes[0].configMap.items[1].path\nInvalid spec.volumes[0].configMap.items[2].path\n"},
        {"sources have names", "", R"("volumes":[{"name":"a","configMap":{}},{"name":"b","secret":{}}])",
         "Required spec.volumes[0].configMap.name\nRequired spec.volumes[1].secret.secretName\n"},
        {"a file of the pod's says what is in it", "",
         R"("volumes":[{"name":"a","downwardAPI":{"items":[{"path":"f"},
            {"path":"g","resourceFieldRef":{"resource":"limits.cpu"}},
            {"path":"h","fieldRef":{"fieldPath":"spec.nodeName"}}]}}])",
         "Required spec.volumes[0].downwardAPI\nRequired spec.volumes[0].downwardAPI.resourceFieldRef.containerName\n"
         "NotSupported spec.volumes[0].downwardAPI.fieldRef.fieldPath\n"},
        {"an exported path is absolute", "", R"("volumes":[{"name":"a","nfs":{"server":"","path":"p"}}])",
         "Required spec.volumes[0].nfs.server\nInvalid spec.volumes[0].nfs.path\n"},
        {"a claim has a name", "", R"("volumes":[{"name":"a","persistentVolumeClaim":{"claimName":""}}])",
         "Required spec.volumes[0].persistentVolumeClaim.claimName\n"},
        {"a driver has a name", "",
         R"("volumes":[{"name":"a","csi":{"driver":""}},{"name":"b","csi":{"driver":"A_b"}}])",
         "Required spec.volumes[0].csi.driver\nInvalid spec.volumes[1].csi.driver\n"},
        {"a disk of Fibre Channel is told in one way", "",
         R"("volumes":[{"name":"a","fc":{}},{"name":"b","fc":{"targetWWNs":["x"],"wwids":["y"]}}])",
         "Required spec.volumes[0].fc.targetWWNs\nInvalid spec.volumes[1].fc.targetWWNs\nRequired "
         "spec.volumes[1].fc.lun\n"},
        {"a target has a qualified name", "",
         R"("volumes":[{"name":"a","iscsi":{"targetPortal":"p","iqn":"disk","lun":1}},
            {"name":"b","iscsi":{"targetPortal":"p","iqn":"iqn.2001.x","lun":256}}])",
         "Invalid spec.volumes[0].iscsi.iqn\nInvalid spec.volumes[1].iscsi.iqn\nInvalid spec.volumes[1].iscsi.lun\n"},
        {"an image volume has an image", "", R"("volumes":[{"name":"a","image":{}}])",
         "Required spec.volumes[0].image.reference\n"},
        {"disks of vendors are named", "",
         R"("volumes":[{"name":"a","awsElasticBlockStore":{"volumeID":""}},{"name":"b","azureDisk":{"diskName":"d","diskURI":"x"}}])",
         "Required spec.volumes[0].awsElasticBlockStore.volumeID\nNotSupported spec.volumes[1].azureDisk.diskURI\n"},
    };
    expect_causes(cases);
}

TEST(PodVolumes, Projected) {
    const PodCase cases[] = {
        {"no two sources write one file", "",
         R"("volumes":[{"name":"a","projected":{"sources":[{"configMap":{"name":"m","items":[{"key":"k","path":"f"}]}},
            {"secret":{"name":"s","items":[{"key":"k","path":"f"}]}}]}}])",
         "Invalid spec.volumes[0].projected\n"},
        {"a source is of one kind", "",
         R"("volumes":[{"name":"a","projected":{"sources":[{"configMap":{"name":"m"},"secret":{"name":"s"}}]}}])",
         "Forbidden spec.volumes[0].projected.sources[0]\n"},
        {"a token is of an account and lives ten minutes", "",
         R"("volumes":[{"name":"a","projected":{"sources":[{"serviceAccountToken":{"path":"","expirationSeconds":5}}]}}])",
         "Invalid spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds\n"
         "Required spec.volumes[0].projected.path\n"
         "Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken\n"},
        {"a bundle is named or of a signer", "",
         R"("volumes":[{"name":"a","projected":{"sources":[{"clusterTrustBundle":{"path":"p"}},
            {"clusterTrustBundle":{"path":"q","name":"n","signerName":"e.com/s"}},
            {"clusterTrustBundle":{"path":"r","signerName":"nope"}}]}}])",
         "Required spec.volumes[0].projected.sources[0].clusterTrustBundle\n"
         "Invalid spec.volumes[0].projected.sources[1].clusterTrustBundle\n"
         "Invalid spec.volumes[0].projected.sources[2].clusterTrustBundle.signerName\n"},
        {"a certificate has a signer, a key and a file", "",
         R"("volumes":[{"name":"a","projected":{"sources":[{"podCertificate":{"signerName":"e.com/s","keyType":"DSA",
            "maxExpirationSeconds":5}}]}}])",
         "NotSupported spec.volumes[0].projected.sources[0].podCertificate.keyType\n"
         "Invalid spec.volumes[0].projected.sources[0].podCertificate.maxExpirationSeconds\n"
         "Required spec.volumes[0].projected.sources[0].podCertificate\n"},
    };
    expect_causes(cases);
}

TEST(PodVolumes, EphemeralClaims) {
    const char* fine = R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})";
    const std::string good =
        std::string(R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":)") + fine + "}}]";
    const std::string own = std::string(R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":)") + fine +
                            R"(}},{"name":"w","persistentVolumeClaim":{"claimName":"p-v"}}])";
    const PodCase cases[] = {
        {"a claim for this pod", "", good.c_str(), ""},
        {"a claim that the pod brings along was not there before", "", own.c_str(),
         "Invalid spec.volumes[1].persistentVolumeClaim.claimName\n"},
        {"a claim is made from a template", "", R"("volumes":[{"name":"v","ephemeral":{}}])",
         "Required spec.volumes[0].ephemeral.volumeClaimTemplate\n"},
        {"a claim has a mode and a size", "",
         R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"metadata":{"name":"x"},
            "spec":{"accessModes":[],"resources":{}}}}}])",
         "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name\n"
         "Required spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes\n"
         "Required spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]\n"},
        {"modes are known, and one pod alone is alone", "",
         R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"volumeMode":"Odd",
            "accessModes":["ReadWriteOncePod","ReadWriteMany","Some"],"resources":{"requests":{"storage":"0"}}}}}}])",
         "NotSupported spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes\n"
         "Forbidden spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes\n"
         "Invalid spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]\n"
         "NotSupported spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode\n"},
    };
    expect_causes(cases);
}

TEST(PodVolumes, Mounts) {
    const char* two = R"("volumes":[{"name":"a"},{"name":"b","persistentVolumeClaim":{"claimName":"x"}}])";
    const PodCase cases[] = {
        {"volumes and devices", R"("volumeMounts":[{"name":"a","mountPath":"/a","subPath":"x/y"}],
            "volumeDevices":[{"name":"b","devicePath":"/dev/b"}])",
         two, ""},
        {"a mount is of a volume", R"("volumeMounts":[{"name":"z","mountPath":"/a"}])", two,
         "NotFound spec.containers[0].volumeMounts[0].name\n"},
        {"a volume with a fault cannot be mounted", R"("volumeMounts":[{"name":"a","mountPath":"/a"}])",
         R"("volumes":[{"name":"a","configMap":{}}])",
         "Required spec.volumes[0].configMap.name\nNotFound spec.containers[0].volumeMounts[0].name\n"},
        {"a mount is somewhere, alone",
         R"("volumeMounts":[{"name":"a","mountPath":""},{"name":"a","mountPath":"/a"},{"name":"b","mountPath":"/a"}])",
         two,
         "Required spec.containers[0].volumeMounts[0].mountPath\nInvalid "
         "spec.containers[0].volumeMounts[2].mountPath\n"},
        {"a sub path does not leave the volume",
         R"("volumeMounts":[{"name":"a","mountPath":"/a","subPath":"../x"},{"name":"a","mountPath":"/b","subPath":"/x"}])",
         two, "Invalid spec.containers[0].volumeMounts.subPath\nInvalid spec.containers[0].volumeMounts.subPath\n"},
        {"a sub path is said in one way",
         R"("volumeMounts":[{"name":"a","mountPath":"/a","subPath":"x","subPathExpr":"$X"}])", two,
         "Invalid spec.containers[0].volumeMounts[0].subPathExpr\n"},
        {"mounts spread to the host only from privileged containers",
         R"("volumeMounts":[{"name":"a","mountPath":"/a","mountPropagation":"Bidirectional"}])", two,
         "Forbidden spec.containers[0].volumeMounts.mountPropagation\n"},
        {"what is read-only all the way down is read-only",
         R"("volumeMounts":[{"name":"a","mountPath":"/a","recursiveReadOnly":"Enabled"}])", two,
         "Forbidden spec.containers[0].volumeMounts.recursiveReadOnly\n"},
        {"a device is of a claim, and no mount", R"("volumeDevices":[{"name":"a","devicePath":"/dev/../x"}],
            "volumeMounts":[{"name":"a","mountPath":"/a"}])",
         two,
         "Invalid spec.containers[0].volumeMounts[0].name\nInvalid spec.containers[0].volumeDevices[0].name\n"
         "Invalid spec.containers[0].volumeDevices[0].devicePath\nInvalid spec.containers[0].volumeDevices[0].name\n"},
    };
    expect_causes(cases);
}

}  // namespace pod_volumes_test
}  // namespace muster::api
