#include "client/client.h"

#include "client/kinds/kind_source.h"

namespace muster::client {

const KindSource& Client::kinds() const { return declared_kinds(); }

}  // namespace muster::client
