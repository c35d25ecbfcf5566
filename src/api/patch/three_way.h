// What `apply` sends: the patch that brings a live object to what the manifest says, and leaves alone what others have
// set. Additions and changes are what differs between live and manifest; deletions are what the manifest applied before
// had and this one has not.
#pragma once

#include <boost/json/object.hpp>

#include "api/schema/type_info.h"

namespace muster::api {

// A strategic merge patch when the type is known, else a JSON merge patch. Empty when there is nothing to change.
boost::json::object three_way_patch(const TypeInfo* type, const boost::json::object& last_applied,
                                    const boost::json::object& manifest, const boost::json::object& live);

}  // namespace muster::api
