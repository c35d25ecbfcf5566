// How failures travel over HTTP: the status code and the reason in the Status object, in both directions. One table.
#pragma once

#include <string_view>

#include "base/result.h"

namespace muster::api {

struct FailureCode {
    int http = 500;
    const char* reason = "";
};
// What an API server answers for a kind of failure.
FailureCode failure_code(Code code);
// What such an answer means to a client. The reason counts only where failures share a status code; it may be empty.
// kInternal for a status code that none of them has.
Code code_of_failure(int http, std::string_view reason);

}  // namespace muster::api
