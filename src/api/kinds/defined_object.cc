#include "api/kinds/defined_object.h"

namespace muster::api::defined {

DEFINE_TYPE(DefinedObject)

}  // namespace muster::api::defined
