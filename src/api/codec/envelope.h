// Kubernetes wraps protobuf bodies: four magic bytes, then a message that names the kind and holds the object's bytes.
#pragma once

#include <string>
#include <string_view>

#include "api/schema/kind_info.h"
#include "base/result.h"

namespace muster::api {

struct Envelope {
    std::string_view api_version;
    std::string_view kind;
    std::string_view raw;  // the object's own message
};

// Views into bytes. A wrong magic or an encoding inside the envelope is a bad request.
Result<Envelope> open_envelope(std::string_view bytes);
void append_envelope(const KindInfo& kind, const void* object, std::string& out);
// The same around a message that is encoded already: lists, and kinds under another version's name.
void append_envelope(std::string_view api_version, std::string_view kind, std::string_view raw, std::string& out);

}  // namespace muster::api
