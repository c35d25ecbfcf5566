#include "os/machine.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace muster::os {

std::string host_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

int processor_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace muster::os
