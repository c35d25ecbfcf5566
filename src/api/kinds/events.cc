#include "api/kinds/events.h"

namespace muster::api::events {

DEFINE_TYPE(EventSeries)
DEFINE_TYPE(Event)

}  // namespace muster::api::events
