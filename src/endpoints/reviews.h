// The questions of the access gate, put to the API server: TokenReview and SubjectAccessReview.
#pragma once

#include "client/client.h"
#include "endpoints/access_gate.h"

namespace muster::endpoints {

// The client must outlive them and the Tasks they give. It needs the verb create for both kinds.
Reviewers reviewers_of(client::Client& client);

}  // namespace muster::endpoints
