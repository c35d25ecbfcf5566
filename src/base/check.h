// A bug ends the process at once with its place and reason. CHECK is always on: a controller that goes on after
// a broken invariant would write wrong numbers, which is worse than a restart.
#pragma once

#include <string_view>

namespace muster {

[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view message = {});

}  // namespace muster

#define CHECK(condition, ...)                                                                  \
    do {                                                                                       \
        if (!(condition)) [[unlikely]]                                                         \
            ::muster::check_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
    } while (false)
