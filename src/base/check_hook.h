// What is done between the message of a failed CHECK and the end of the process: the log is written out.
#pragma once

namespace muster {

// From now on. It is called once at most: what is called may fail, too. Null: nothing is called.
void before_check_ends(void (*call)());

}  // namespace muster
