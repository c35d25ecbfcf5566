// What the operating system said, as an Error.
#pragma once

#include <cerrno>
#include <string_view>

#include "base/result.h"

namespace muster::os {

// "cannot open /data/lock: No such file or directory". The code tells what a caller can act on (absent, present
// already, peer not there, timed out); all else is kIo.
Error errno_error(int error, std::string_view doing, std::string_view what);

// Not now: the descriptor says when.
inline bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace muster::os
