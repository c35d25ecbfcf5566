// What every verb gets and gives: where it writes, and its exit code.
#pragma once

#include <iosfwd>

namespace muster::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitBadUsage = 2;

// Results go to `out`, everything else that a person should read to `err`.
struct Terminal {
    std::ostream& out;
    std::ostream& err;
};

}  // namespace muster::cli
