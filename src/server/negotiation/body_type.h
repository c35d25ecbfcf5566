// What a request's body is written in, from its Content-Type. 415 in Kubernetes' words for everything else.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "server/negotiation/accept.h"

namespace muster::server {

// Of POST, PUT and DELETE. Nothing said means JSON.
Result<Encoding> body_encoding(std::string_view content_type);

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategicMerge };
// Of PATCH. Server-side apply is refused with a sentence that says so.
Result<PatchType> patch_type(std::string_view content_type);

}  // namespace muster::server
