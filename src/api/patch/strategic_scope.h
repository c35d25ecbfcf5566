// What the declarations say to a strategic merge: where it stands, and what a field there does with its patch.
#pragma once

#include <string_view>

#include "api/schema/type_info.h"

namespace muster::api {

// Where a merge of two objects stands: in a declared struct, in a map with values of one kind, or, with both null, in
// JSON that nothing is known of.
struct StrategicScope {
    const TypeInfo* type = nullptr;
    const ValueInfo* element = nullptr;
};

struct StrategicRule {
    const ValueInfo* value = nullptr;  // null: no such field; boxes and optionals are looked through
    bool merges = false;               // a list: merged, not replaced
    std::string_view merge_key{};      // a merged list of structs
};

// Inside a value of that kind.
StrategicScope scope_of(const ValueInfo* value);
StrategicScope element_scope(const StrategicRule& list);

StrategicRule find_rule(const StrategicScope& scope, std::string_view name);

bool is_raw(const ValueInfo* value);

}  // namespace muster::api
