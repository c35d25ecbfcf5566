#include "api/kinds/core/volume_source.h"

namespace muster::api::core {

DEFINE_TYPE(HostPathVolumeSource)
DEFINE_TYPE(EmptyDirVolumeSource)
DEFINE_TYPE(NFSVolumeSource)
DEFINE_TYPE(ISCSIVolumeSource)
DEFINE_TYPE(FCVolumeSource)
DEFINE_TYPE(CSIVolumeSource)
DEFINE_TYPE(ImageVolumeSource)
DEFINE_TYPE(PersistentVolumeClaimVolumeSource)
DEFINE_TYPE(EphemeralVolumeSource)

}  // namespace muster::api::core
