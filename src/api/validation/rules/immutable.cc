#include "api/validation/rules/immutable.h"

#include "api/codec/encode.h"
#include "api/schema/walk.h"

namespace muster::api {

void check_immutable(const ValueInfo& info, const void* value, const void* old, const FieldPath& path,
                     FieldErrors& errors) {
    if (is_equal(info, value, old)) return;
    std::string text;
    append_json_value(info, value, text);
    errors.add_invalid(path, Shown::json(std::move(text)), kImmutableSentence);
}

}  // namespace muster::api
