#include "os/errno_error.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace muster::os {
namespace {

Code code_of(int error) {
    switch (error) {
        case ENOENT:
        case ESRCH: return Code::kNotFound;
        case EADDRINUSE:
        case EEXIST: return Code::kAlreadyExists;
        case ETIMEDOUT: return Code::kTimeout;
        case ECONNREFUSED:
        case ECONNRESET:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case EPIPE: return Code::kUnavailable;
        default: return Code::kIo;
    }
}

}  // namespace

Error errno_error(int error, std::string_view doing, std::string_view what) {
    std::string message("cannot ");
    message.append(doing).append(" ").append(what).append(": ");
    const char* description = ::strerrordesc_np(error);
    message += description ? std::string(description) : "error " + std::to_string(error);
    return Error{code_of(error), std::move(message)};
}

}  // namespace muster::os
