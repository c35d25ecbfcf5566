// JSON patch (RFC 6902), with Kubernetes' answers where the two differ:
//   - `replace` and `test` take an absent member for null, so `replace` may add one; an absent `value` is null;
//   - only `replace` and `test` reach the whole document with the path "";
//   - the index -1 is the last element.
// The document never grows deeper than PatchLimits::depth_max, whatever is moved and copied where.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/patch/patch.h"
#include "base/result.h"

namespace muster::api {

// The document after all operations. kBadRequest: not a list of operations; kTooLarge: too many of them; kInvalid: one
// does not apply, with a text that says which and why.
Result<boost::json::value> apply_json_patch(boost::json::value document, const boost::json::value& patch,
                                            const PatchLimits& limits);

}  // namespace muster::api
