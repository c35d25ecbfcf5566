#include "api/kinds/core/service_account.h"

namespace muster::api::core {

DEFINE_TYPE(ServiceAccount)

}  // namespace muster::api::core
