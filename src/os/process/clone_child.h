// clone() for a child that shares our memory until its program runs. ThreadSanitizer takes every clone for a fork of
// which the child goes on, and believes from then on that we are that child: it is passed by.
#pragma once

#include <sched.h>

#ifdef __SANITIZE_THREAD__
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);
#endif

namespace muster::os {

#ifdef __SANITIZE_THREAD__
inline constexpr auto clone_child = &::__clone;
#else
inline constexpr auto clone_child = &::clone;
#endif

}  // namespace muster::os
