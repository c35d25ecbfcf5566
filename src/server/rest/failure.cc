#include "server/rest/failure.h"

#include "api/value/failure_code.h"

namespace muster::server {
namespace {

// Whether the answer has details even when there is nothing to say in them.
bool has_empty_details(Code code) {
    return code == Code::kNotAcceptable || code == Code::kMethodNotAllowed || code == Code::kNotFound ||
           code == Code::kForbidden || code == Code::kTimeout;
}

}  // namespace

int http_code(Code code) { return api::failure_code(code).http; }

api::meta::Status status_of(const Error& error) {
    const api::FailureCode as = api::failure_code(error.code);
    api::meta::Status status;
    status.status = "Failure";
    status.message = error.message;
    status.reason = as.reason;
    status.code = as.http;
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
