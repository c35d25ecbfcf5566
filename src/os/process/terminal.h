// A pseudo-terminal: what a program sees as its terminal, and our end of it.
#pragma once

#include "base/result.h"
#include "os/descriptor.h"

namespace muster::os {

struct TerminalPair {
    Descriptor ours;    // does not block
    Descriptor theirs;  // to be closed once the program has it: then our reads end with the program
};
Result<TerminalPair> open_terminal();
// Tells the program, if it changes. Nonsense is left out.
void resize_terminal(const Descriptor& terminal, int columns, int rows);

}  // namespace muster::os
