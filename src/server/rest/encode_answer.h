// Objects in the form that a client asked for: JSON, protobuf or YAML, whole, as a table, or reduced to metadata. Pure,
// so that it can run on the thread that carries the answer.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "api/kinds/meta/status.h"
#include "server/kind_object/kind_object.h"
#include "server/negotiation/accept.h"
#include "server/table/table.h"

namespace muster::server {

struct Presentation {
    AnswerForm form{};
    IncludeObject include = IncludeObject::kMetadata;  // of tables
    Instant now{};                                     // of tables
};

// One object of that kind (which need not be the stored one: see views.h).
std::string encode_object(const KindObject& object, const Presentation& as);
// A list of them. Items carry no kind of their own, as the list's tells it.
std::string encode_list(const api::KindInfo& kind, const api::meta::ListMeta& list,
                        const std::vector<KindObjectPtr>& items, const Presentation& as);
// What is no stored object is never shown as a table.
std::string encode_status(const api::meta::Status& status, const AnswerForm& form);
std::string encode_kind(const api::KindInfo& kind, const void* object, const AnswerForm& form);

}  // namespace muster::server
