#include "base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/check_hook.h"

namespace muster {
namespace {

std::atomic<void (*)()> before_end{nullptr};

}  // namespace

void before_check_ends(void (*call)()) { before_end = call; }

void check_failed(const char* file, int line, const char* condition, std::string_view message) {
    std::fprintf(stderr, "%s:%d: CHECK(%s) failed%s%.*s\n", file, line, condition, message.empty() ? "" : ": ",
                 static_cast<int>(message.size()), message.data());
    // Once: what is called may fail, too.
    if (void (*const call)() = before_end.exchange(nullptr)) call();
    std::abort();
}

}  // namespace muster
