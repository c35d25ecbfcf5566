#include "os/machine/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

extern "C" {
// jemalloc's, when it is linked.
int mallctl(const char* name, void* old, std::size_t* old_size, void* fresh, std::size_t fresh_size)
    __attribute__((weak));

// Read by jemalloc before main. The loop and the journal's worker do most of the allocating, and what one allocates the
// other often frees: two arenas. What is free goes back to the system soon, as an idle server should be small; a thread
// of jemalloc's sees to that also when nothing is allocated any more.
extern const char* malloc_conf;
const char* malloc_conf =
    "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true,max_background_threads:1";
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

// A mapping in which a page is ours alone is left as it is: the loader wrote addresses there, or a debugger a
// breakpoint, and no file would bring them back.
void release_program_pages() {
    std::FILE* file = std::fopen("/proc/self/smaps", "re");
    if (!file) return;
    char line[512];
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    bool is_program = false;
    while (std::fgets(line, sizeof line, file)) {
        std::uintptr_t first = 0;
        std::uintptr_t end = 0;
        char rights[5] = "";
        int path = 0;
        std::size_t own = 0;
        if (std::sscanf(line, "%zx-%zx %4s %*s %*s %*s %n", &first, &end, rights, &path) >= 3) {
            from = first;
            to = end;
            is_program = line[path] == '/' && rights[0] == 'r' && rights[1] == '-' && rights[3] == 'p';
        } else if (is_program && std::sscanf(line, "Anonymous: %zu", &own) == 1 && own == 0) {
            ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
        }
    }
    std::fclose(file);
}

std::size_t allocated_bytes() {
    if (!mallctl) {
        const struct mallinfo2 info = ::mallinfo2();
        return info.uordblks + info.hblkhd;
    }
    std::uint64_t epoch = 1;  // setting it brings the figures up to date
    mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
    std::size_t bytes = 0;
    std::size_t size = sizeof bytes;
    mallctl("stats.allocated", &bytes, &size, nullptr, 0);
    return bytes;
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
