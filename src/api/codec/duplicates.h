// Finds keys that a JSON object has twice. A parsed tree keeps only the last, so they must be found in the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/decode.h"

namespace muster::api {

// "data.k", "spec.containers[0].name": the path of each key that comes again, as often as it does, up to
// `complaints_max`. The text must be JSON within the limits; what is found up to the first mistake otherwise.
std::vector<std::string> find_duplicates(std::string_view text, const DecodeLimits& limits = {});

}  // namespace muster::api
