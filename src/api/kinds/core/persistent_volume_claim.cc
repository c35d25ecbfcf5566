#include "api/kinds/core/persistent_volume_claim.h"

namespace muster::api::core {

DEFINE_TYPE(VolumeResourceRequirements)
DEFINE_TYPE(PersistentVolumeClaimSpec)
DEFINE_TYPE(PersistentVolumeClaimCondition)
DEFINE_TYPE(ModifyVolumeStatus)
DEFINE_TYPE(PersistentVolumeClaimStatus)
DEFINE_TYPE(PersistentVolumeClaim)
DEFINE_TYPE(PersistentVolumeClaimTemplate)

}  // namespace muster::api::core
