#include "api/kinds/core/config.h"

namespace muster::api::core {

DEFINE_TYPE(ConfigMap)
DEFINE_TYPE(Secret)

}  // namespace muster::api::core
