#include "api/kinds/core/storage/persistent_volume_source.h"

namespace muster::api::core {

DEFINE_TYPE(LocalVolumeSource)
DEFINE_TYPE(CSIPersistentVolumeSource)
DEFINE_TYPE(ISCSIPersistentVolumeSource)
DEFINE_TYPE(GlusterfsPersistentVolumeSource)
DEFINE_TYPE(RBDPersistentVolumeSource)
DEFINE_TYPE(FlexPersistentVolumeSource)
DEFINE_TYPE(CinderPersistentVolumeSource)
DEFINE_TYPE(CephFSPersistentVolumeSource)
DEFINE_TYPE(AzureFilePersistentVolumeSource)
DEFINE_TYPE(ScaleIOPersistentVolumeSource)
DEFINE_TYPE(StorageOSPersistentVolumeSource)
DEFINE_TYPE(PersistentVolumeSource)

}  // namespace muster::api::core
