#include "api/kinds/meta/status.h"

namespace muster::api::meta {

DEFINE_TYPE(StatusCause)
DEFINE_TYPE(StatusDetails)
DEFINE_TYPE(Status)
DEFINE_TYPE(WatchEvent)
DEFINE_TYPE(PartialObjectMetadata)

}  // namespace muster::api::meta
