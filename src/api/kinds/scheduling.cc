#include "api/kinds/scheduling.h"

namespace muster::api::scheduling {

DEFINE_TYPE(PriorityClass)

}  // namespace muster::api::scheduling
