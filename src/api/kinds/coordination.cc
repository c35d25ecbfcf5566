#include "api/kinds/coordination.h"

namespace muster::api::coordination {

DEFINE_TYPE(LeaseSpec)
DEFINE_TYPE(Lease)

}  // namespace muster::api::coordination
