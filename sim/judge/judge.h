// Judges what happened on a real cluster by the simulator's own checkers of Jobs: every pod counted once, in the order
// of KEP-2307, true numbers at the end, nothing taken back, and, with `one_controller`, never more pods than allowed
// and never two of an index.
#pragma once

#include <iosfwd>
#include <string>

#include "base/result.h"

namespace muster::sim {

struct Verdict {
    std::size_t changes = 0;   // of Jobs and pods
    std::size_t finished = 0;  // Jobs, at the end
    std::string failure{};     // empty: all held
};

// The history must end at rest: all Jobs have finished. kBadRequest with the number of a line that cannot be read.
Result<Verdict> judge_history(std::istream& lines, bool one_controller);

}  // namespace muster::sim
