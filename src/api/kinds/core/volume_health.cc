#include "api/kinds/core/volume_health.h"

namespace muster::api::core {

DEFINE_TYPE(VolumeHealthCondition)
DEFINE_TYPE(VolumeHealthStatus)

}  // namespace muster::api::core
