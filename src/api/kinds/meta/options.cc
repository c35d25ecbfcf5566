#include "api/kinds/meta/options.h"

namespace muster::api::meta {

DEFINE_TYPE(ListOptions)
DEFINE_TYPE(GetOptions)
DEFINE_TYPE(CreateOptions)
DEFINE_TYPE(PatchOptions)
DEFINE_TYPE(UpdateOptions)

}  // namespace muster::api::meta
