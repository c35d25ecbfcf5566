// A thread on which others wait asks the kernel for short turns. Whoever asks for a short turn has an early deadline,
// so that on waking it gets the processor at once, from whoever has a long one, and not at the next tick (4 ms where
// ticks come 250 times a second). Kernels before 6.12 ignore the wish.
#pragma once

namespace muster::os {

// For the calling thread only, whose nice value stays. Threads and processes that it starts have usual turns.
void ask_for_short_turns();

}  // namespace muster::os
