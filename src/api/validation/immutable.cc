#include "api/validation/immutable.h"

#include "api/codec/encode.h"
#include "api/schema/walk.h"

namespace muster::api {

Shown shown_json(const ValueInfo& info, const void* value) {
    std::string text;
    append_json_value(info, value, text);
    return Shown::json(std::move(text));
}

void check_immutable(const FieldPath& path, const ValueInfo& info, const void* value, const void* old,
                     FieldErrors& errors) {
    if (!is_equal(info, value, old)) errors.add_invalid(path, shown_json(info, value), kImmutableSentence);
}

}  // namespace muster::api
