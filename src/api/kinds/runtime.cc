#include "api/kinds/runtime.h"

namespace muster::api::runtime {

DEFINE_TYPE(Overhead)
DEFINE_TYPE(Scheduling)
DEFINE_TYPE(RuntimeClass)

}  // namespace muster::api::runtime
