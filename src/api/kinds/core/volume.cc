#include "api/kinds/core/volume.h"

namespace muster::api::core {

DEFINE_TYPE(VolumeSource)
DEFINE_TYPE(Volume)

}  // namespace muster::api::core
