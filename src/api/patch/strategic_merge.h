// Strategic merge patch: a merge patch that knows the type. Lists declared to merge do so, structs by their merge key
// and scalars as sets; all other lists are replaced. Directives in the patch say what plain JSON cannot:
//
//     "labels": {"$patch": "replace", …}                 this map whole; "delete" empties it
//     "containers": [{"name": "a", "$patch": "delete"}]  that element goes
//     "containers": [{"$patch": "replace"}, …]           the list whole
//     "$deleteFromPrimitiveList/finalizers": ["x"]       that scalar goes
//     "$setElementOrder/containers": [{"name": "b"}, …]  the order afterwards; elements not named keep their places
//     "$retainKeys": ["name", "emptyDir"]                members not named go: another member of a union is chosen
//
// A value that the object did not have is taken from the patch without its directives and without members that are
// null.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/patch/patch.h"
#include "api/patch/strategic_scope.h"
#include "base/result.h"

namespace muster::api {

// The document after the patch. kBadRequest: not an object, too deep, or a directive of the wrong form; kInvalid: lists
// of lists; kInternal: an unknown directive, an element without its merge key, an order that contradicts the patch.
Result<boost::json::value> apply_strategic_merge(const TypeInfo& type, boost::json::value document,
                                                 const boost::json::value& patch, const PatchLimits& limits);

// One object of the above, in place; takes the patch apart. After a failure both are in pieces.
Result<void> merge_strategic_object(boost::json::object& original, boost::json::object& patch,
                                    const StrategicScope& scope);

// Takes directives and null members out of a value that is new to the document. False: the value is itself a directive.
bool clean_strategic_value(boost::json::value& value, const ValueInfo* info);

// The error for {"$patch": "explode"}.
Error unknown_directive(const boost::json::value& directive, const boost::json::object& map);

}  // namespace muster::api
