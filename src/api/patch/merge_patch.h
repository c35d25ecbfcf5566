// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces. Like Kubernetes, and beyond the
// RFC, nulls in objects inside a replacing list are dropped: a null never creates a member.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/patch/patch.h"
#include "base/result.h"

namespace muster::api {

// kBadRequest when the patch is not an object, as it then would replace the object whole, or is too deep.
Result<boost::json::value> apply_merge_patch(boost::json::value document, const boost::json::value& patch,
                                             const PatchLimits& limits);

}  // namespace muster::api
