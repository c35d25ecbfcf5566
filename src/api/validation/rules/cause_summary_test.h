// "reason field" of each cause, one a line: what a client acts on.
#pragma once

#include <string>

#include "api/validation/rules/field_errors.h"

namespace muster::api {

inline std::string summary(const FieldErrors& errors) {
    std::string out;
    for (const Cause& cause : errors.causes())
        out += cause.reason.substr(std::string_view("FieldValue").size()) + " " + cause.field + "\n";
    return out;
}

}  // namespace muster::api
