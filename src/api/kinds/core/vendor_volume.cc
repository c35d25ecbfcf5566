#include "api/kinds/core/vendor_volume.h"

namespace muster::api::core {

DEFINE_TYPE(GCEPersistentDiskVolumeSource)
DEFINE_TYPE(AWSElasticBlockStoreVolumeSource)
DEFINE_TYPE(GitRepoVolumeSource)
DEFINE_TYPE(GlusterfsVolumeSource)
DEFINE_TYPE(RBDVolumeSource)
DEFINE_TYPE(FlexVolumeSource)
DEFINE_TYPE(CinderVolumeSource)
DEFINE_TYPE(CephFSVolumeSource)
DEFINE_TYPE(FlockerVolumeSource)
DEFINE_TYPE(AzureFileVolumeSource)
DEFINE_TYPE(VsphereVirtualDiskVolumeSource)
DEFINE_TYPE(QuobyteVolumeSource)
DEFINE_TYPE(AzureDiskVolumeSource)
DEFINE_TYPE(PhotonPersistentDiskVolumeSource)
DEFINE_TYPE(PortworxVolumeSource)
DEFINE_TYPE(ScaleIOVolumeSource)
DEFINE_TYPE(StorageOSVolumeSource)

}  // namespace muster::api::core
