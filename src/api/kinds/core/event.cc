#include "api/kinds/core/event.h"

namespace muster::api::core {

DEFINE_TYPE(EventSource)
DEFINE_TYPE(EventSeries)
DEFINE_TYPE(Event)

}  // namespace muster::api::core
