#include "server/rest/failure.h"

namespace muster::server {
namespace {

struct Answering {
    int code;
    const char* reason;
};

Answering answering(Code code) {
    switch (code) {
        case Code::kBadRequest: return {400, "BadRequest"};
        case Code::kUnauthorized: return {401, "Unauthorized"};
        case Code::kForbidden: return {403, "Forbidden"};
        case Code::kNotFound: return {404, "NotFound"};
        case Code::kMethodNotAllowed: return {405, "MethodNotAllowed"};
        case Code::kNotAcceptable: return {406, "NotAcceptable"};
        case Code::kAlreadyExists: return {409, "AlreadyExists"};
        case Code::kConflict: return {409, "Conflict"};
        case Code::kExpired: return {410, "Expired"};
        case Code::kTooLarge: return {413, "RequestEntityTooLarge"};
        case Code::kUnsupportedMediaType: return {415, "UnsupportedMediaType"};
        case Code::kInvalid: return {422, "Invalid"};
        case Code::kTooManyRequests: return {429, "TooManyRequests"};
        case Code::kTimeout: return {504, "Timeout"};
        case Code::kUnavailable:
        case Code::kCancelled: return {503, "ServiceUnavailable"};
        case Code::kInternal: return {500, ""};
        case Code::kCorrupt:
        case Code::kIo: return {500, "InternalError"};
    }
    return {500, ""};
}

// Whether the answer has details even when there is nothing to say in them.
bool has_empty_details(Code code) {
    return code == Code::kNotAcceptable || code == Code::kMethodNotAllowed || code == Code::kNotFound ||
           code == Code::kForbidden || code == Code::kTimeout;
}

}  // namespace

int http_code(Code code) { return answering(code).code; }

api::meta::Status status_of(const Error& error) {
    const Answering as = answering(error.code);
    api::meta::Status status;
    status.status = "Failure";
    status.message = error.message;
    status.reason = as.reason;
    status.code = as.code;
    if (error.causes.empty() && error.about == Subject{} && error.retry_after_seconds == 0 &&
        !has_empty_details(error.code))
        return status;
    api::meta::StatusDetails& details = status.details.edit();
    details.name = error.about.name;
    details.group = error.about.group;
    details.kind = error.about.kind;
    details.retry_after_seconds = error.retry_after_seconds;
    for (const Cause& cause : error.causes) {
        api::meta::StatusCause listed;
        listed.reason = cause.reason;
        listed.message = cause.message;
        listed.field = cause.field;
        details.causes.edit().push_back(std::move(listed));
    }
    return status;
}

}  // namespace muster::server
