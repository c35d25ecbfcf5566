#include "os/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>

extern "C" {
// jemalloc's, when it is linked.
int mallctl(const char* name, void* old, std::size_t* old_size, void* fresh, std::size_t fresh_size)
    __attribute__((weak));

// Read by jemalloc before main. The loop and the journal's worker do most of the allocating, and what one allocates the
// other often frees: two arenas. What is free goes back to the system soon, as an idle server should be small.
extern const char* malloc_conf;
const char* malloc_conf = "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace muster::os {

void release_free_memory() {
    if (mallctl) {
        mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
        mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // MALLCTL_ARENAS_ALL
    } else {
        ::malloc_trim(0);
    }
}

std::size_t resident_bytes() {
    std::size_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%*u %zu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace muster::os
