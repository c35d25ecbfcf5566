#include "api/value/failure_code.h"

#include "base/check.h"

namespace muster::api {
namespace {

struct Row {
    Code code;
    FailureCode as;
    bool local = false;  // only the process that fails can tell: no answer means this
};

// Of those with one status code the first is meant when the reason names none of them.
constexpr Row kRows[] = {
    {Code::kBadRequest, {400, "BadRequest"}},
    {Code::kUnauthorized, {401, "Unauthorized"}},
    {Code::kForbidden, {403, "Forbidden"}},
    {Code::kNotFound, {404, "NotFound"}},
    {Code::kMethodNotAllowed, {405, "MethodNotAllowed"}},
    {Code::kNotAcceptable, {406, "NotAcceptable"}},
    {Code::kConflict, {409, "Conflict"}},
    {Code::kAlreadyExists, {409, "AlreadyExists"}},
    {Code::kExpired, {410, "Expired"}},
    {Code::kTooLarge, {413, "RequestEntityTooLarge"}},
    {Code::kUnsupportedMediaType, {415, "UnsupportedMediaType"}},
    {Code::kInvalid, {422, "Invalid"}},
    {Code::kTooManyRequests, {429, "TooManyRequests"}},
    {Code::kInternal, {500, ""}},
    {Code::kCorrupt, {500, "InternalError"}, true},
    {Code::kIo, {500, "InternalError"}, true},
    {Code::kUnavailable, {503, "ServiceUnavailable"}},
    {Code::kCancelled, {503, "ServiceUnavailable"}, true},
    {Code::kTimeout, {504, "Timeout"}},
};

}  // namespace

FailureCode failure_code(Code code) {
    for (const Row& row : kRows)
        if (row.code == code) return row.as;
    CHECK(false, "a code without a row");
    return {};
}

Code code_of_failure(int http, std::string_view reason) {
    const Row* first = nullptr;
    for (const Row& row : kRows) {
        if (row.local || row.as.http != http) continue;
        if (row.as.reason == reason) return row.code;
        if (!first) first = &row;
    }
    return first ? first->code : Code::kInternal;
}

}  // namespace muster::api
