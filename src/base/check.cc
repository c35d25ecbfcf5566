#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(const char* file, int line, const char* condition, std::string_view message) {
    std::fprintf(stderr, "%s:%d: CHECK(%s) failed%s%.*s\n", file, line, condition, message.empty() ? "" : ": ",
                 static_cast<int>(message.size()), message.data());
    std::abort();
}

}  // namespace muster
