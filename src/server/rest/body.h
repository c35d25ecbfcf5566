// A request's body as a typed object. Pure: it runs on the thread that carried the request, before the loop hears of
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "server/kind_object/kind_object.h"
#include "server/negotiation/body_type.h"

namespace muster::server {

enum class FieldValidation { kIgnore, kWarn, kStrict };

struct Body {
    std::shared_ptr<KindObject> object;
    std::vector<std::string> warnings;  // unknown and duplicate fields, when asked to warn of them
};

// An object of that kind. The body may leave out what it is; saying that it is something else is a bad request.
Result<Body> decode_body(const api::KindInfo& kind, Encoding encoding, std::string_view bytes,
                         FieldValidation validation);

// What a document says that it is must be what the path takes; it may leave out either.
Result<> check_sent_kind(const api::KindInfo& kind, std::string_view api_version, std::string_view sent_kind);

// The options of a delete: the body when there is one, else the query.
Result<api::meta::DeleteOptions> decode_delete_options(std::string_view content_type, std::string_view bytes,
                                                       const Query& query);

}  // namespace muster::server
