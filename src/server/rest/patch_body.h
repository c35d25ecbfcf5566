// The body of a PATCH as a tree. Pure: read where bodies are read, applied on the loop.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/patch/patch.h"
#include "server/rest/body.h"

namespace muster::server {

struct PatchBody {
    api::PatchKind how;
    // Whether it can be read is told after whether there is something to patch.
    Result<boost::json::value> document;
    std::vector<std::string> duplicates{};  // as complaints; the tree has only the last of those with one name
};

// kUnsupportedMediaType for a content type that is none of the three.
Result<PatchBody> read_patch_body(std::string_view content_type, std::string_view bytes, FieldValidation validation);

}  // namespace muster::server
