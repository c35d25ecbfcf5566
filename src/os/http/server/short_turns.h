// Requests short time slices from the kernel, for a thread that others wait for. A short slice gives the thread an
// early deadline: when it wakes, it preempts a thread with a long slice at once and does not wait for the next tick
// (4 ms at 250 ticks per second). Kernels before 6.12 ignore the request.
#pragma once

namespace muster::os {

// For the calling thread only; its nice value stays. Threads and processes that it starts have the usual slice.
void ask_for_short_turns();

}  // namespace muster::os
