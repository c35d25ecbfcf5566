#include "api/kinds/core/storage/persistent_volume.h"

namespace muster::api::core {

DEFINE_TYPE(VolumeNodeAffinity)
DEFINE_TYPE(PersistentVolumeSpec)
DEFINE_TYPE(PersistentVolumeStatus)
DEFINE_TYPE(PersistentVolume)

}  // namespace muster::api::core
