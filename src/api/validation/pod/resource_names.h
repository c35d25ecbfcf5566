// The names of resources (cpu, memory, example.com/gpu) and what follows from them. Pure.
#pragma once

#include <string_view>

#include "api/validation/rules/field_errors.h"

namespace muster::api {

// Of Kubernetes itself: without a domain, or of kubernetes.io.
bool is_native_resource(std::string_view name);
// A device or the like, of another domain.
bool is_extended_resource(std::string_view name);
// Whether more may be asked for than there is: huge pages and devices are handed out whole.
bool may_overcommit(std::string_view name);

// Gives false when the name was refused.
bool check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
void check_container_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors);

}  // namespace muster::api
