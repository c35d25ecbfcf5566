#include "base/result.h"

namespace muster {

std::string_view name_of(Code code) {
    switch (code) {
        case Code::kBadRequest: return "bad request";
        case Code::kUnauthorized: return "unauthorized";
        case Code::kForbidden: return "forbidden";
        case Code::kNotFound: return "not found";
        case Code::kMethodNotAllowed: return "method not allowed";
        case Code::kNotAcceptable: return "not acceptable";
        case Code::kAlreadyExists: return "already exists";
        case Code::kConflict: return "conflict";
        case Code::kExpired: return "expired";
        case Code::kTooLarge: return "too large";
        case Code::kUnsupportedMediaType: return "unsupported media type";
        case Code::kInvalid: return "invalid";
        case Code::kTooManyRequests: return "too many requests";
        case Code::kTimeout: return "timeout";
        case Code::kUnavailable: return "unavailable";
        case Code::kInternal: return "internal error";
        case Code::kCorrupt: return "corrupt";
        case Code::kIo: return "input/output error";
        case Code::kCancelled: return "cancelled";
    }
    return "unknown";
}

std::string format_error(const Error& error) {
    std::string text(name_of(error.code));
    text += ": ";
    text += error.message;
    return text;
}

}  // namespace muster
