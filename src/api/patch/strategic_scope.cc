#include "api/patch/strategic_scope.h"

namespace muster::api {
namespace {

const ValueInfo* look_through(const ValueInfo* value) {
    while (value && (value->shape == Shape::kBox || value->shape == Shape::kOptional)) value = value->element;
    return value;
}

}  // namespace

StrategicScope scope_of(const ValueInfo* value) {
    value = look_through(value);
    if (value && value->shape == Shape::kStruct) return {.type = &value->type()};
    if (value && value->shape == Shape::kMap) return {.element = value->element};
    return {};
}

StrategicScope element_scope(const StrategicRule& list) {
    return list.value && list.value->shape == Shape::kList ? scope_of(list.value->element) : StrategicScope();
}

StrategicRule find_rule(const StrategicScope& scope, std::string_view name) {
    if (scope.element) return {.value = look_through(scope.element)};
    const FieldInfo* field = scope.type ? scope.type->find(name) : nullptr;
    if (!field) return {};
    const FieldOptions& options = field->options;
    return {.value = look_through(field->value),
            .merges = options.patch == Patch::kMerge || options.patch == Patch::kMergeRetainKeys,
            .merge_key = options.merge_key ? options.merge_key : ""};
}

bool is_raw(const ValueInfo* value) { return value && value->shape == Shape::kRaw; }

}  // namespace muster::api
