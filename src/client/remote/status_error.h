// What an API server says when it says no: a Status document.
#pragma once

#include <string_view>

#include "base/result.h"

namespace muster::client {

// The error that an answer other than 2xx stands for: its code, message, causes, subject and how long to wait. A UID
// that is not the object's (422 on metadata.uid) is a conflict.
Error status_error(int http_status, std::string_view body);

}  // namespace muster::client
