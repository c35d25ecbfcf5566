// The rules for ConfigMaps and Secrets: what keys may be called, how much fits, which keys a Secret's type demands, and
// that what was declared immutable stays.
#pragma once

#include "api/kinds/core/config.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

inline constexpr std::size_t kConfigBytesMax = 1u << 20;  // of all values together

FieldErrors validate_config_map_create(const core::ConfigMap& map);
FieldErrors validate_config_map_update(const core::ConfigMap& now, const core::ConfigMap& before);
FieldErrors validate_secret_create(const core::Secret& secret);
FieldErrors validate_secret_update(const core::Secret& now, const core::Secret& before);

}  // namespace muster::api
