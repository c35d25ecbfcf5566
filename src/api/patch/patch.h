// Patches: the three bodies that PATCH takes, applied to an object as JSON. Pure: the server encodes the current
// object, calls this, and decodes and admits the answer as it does any other body.
//
// Every step is bounded by PatchLimits: the body's size and depth, the number of operations, what copies may add. On
// failure nothing has changed. The codes are the answers that kube-apiserver gives:
//     kTooLarge    the body, or its number of operations
//     kBadRequest  cannot be read as a patch of its kind
//     kInvalid     JSON patch: a test that fails, a path that is not there
//     kInternal    strategic merge: an unknown directive, a list element without its merge key (500 upstream, too)
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/schema/type_info.h"
#include "base/result.h"

namespace muster::api {

enum class PatchKind {
    kJson,       // application/json-patch+json
    kMerge,      // application/merge-patch+json
    kStrategic,  // application/strategic-merge-patch+json
};

struct PatchLimits {
    std::size_t body_bytes_max = 3u << 20;
    std::size_t depth_max = 1000;  // of the patch, of the object and of the result
    std::size_t operations_max = 10'000;
    std::size_t copy_bytes_max = 3u << 20;  // what all `copy` operations of a JSON patch may add
};

// The body as JSON. kTooLarge when longer than the limit, kBadRequest when malformed, too deep or of the wrong type: an
// array for kJson, an object for the others.
Result<boost::json::value> parse_patch(PatchKind kind, std::string_view body, const PatchLimits& limits);

// The object after the patch. Field names, merge keys and list kinds come from `type`, the declaration of `current`.
Result<boost::json::value> apply_patch(PatchKind kind, const TypeInfo& type, const boost::json::value& current,
                                       std::string_view body, const PatchLimits& limits);
Result<boost::json::value> apply_parsed_patch(PatchKind kind, const TypeInfo& type, const boost::json::value& current,
                                              const boost::json::value& patch, const PatchLimits& limits);

}  // namespace muster::api
