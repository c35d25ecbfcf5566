#include "api/schema/residue.h"

#include "base/check.h"
#include "base/intern.h"

namespace muster::api {

void Residue::add(std::string_view fields) {
    CHECK(!fields.empty());
    if (empty()) {
        fields_ = intern(fields);
        return;
    }
    CHECK(is_json() == fields.starts_with(','), "a struct has unknown fields of one encoding");
    fields_ = Text(fields_.str().append(fields));
}

}  // namespace muster::api
