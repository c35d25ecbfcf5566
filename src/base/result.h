// Errors are values. `Result<T>` is a T or an Error; an Error has a code from a closed list, and what to do next
// (retry, give up, report) is chosen from that code, never from its text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace muster {

enum class Code {
    kBadRequest,            // malformed: cannot be read at all
    kUnauthorized,          // we do not know who asks
    kForbidden,             // we know, and they may not
    kNotFound,              //
    kMethodNotAllowed,      //
    kNotAcceptable,         //
    kAlreadyExists,         //
    kConflict,              // a precondition (revision, uid) does not hold: read again, then retry
    kExpired,               // that revision has left the history: list again
    kTooLarge,              // a limit on size, depth or count
    kUnsupportedMediaType,  //
    kInvalid,               // readable, but breaks a rule: see causes
    kTooManyRequests,       // retry later
    kTimeout,               // retry later
    kUnavailable,           // retry later
    kInternal,              //
    kCorrupt,               // stored bytes are not what was written
    kIo,                    // the operating system said no
    kCancelled,             // the caller went away
};
std::string_view name_of(Code code);

// One reason among several, tied to a field: what a Kubernetes Status lists under details.causes.
struct Cause {
    std::string reason;   // FieldValueInvalid, FieldValueRequired, …
    std::string field;    // spec.template.spec.containers[0].name
    std::string message;  // Invalid value: "x": must be …
    bool operator==(const Cause&) const = default;
};

// What an error is about, when that is not clear from who asked: what a Kubernetes Status names under details.
struct Subject {
    std::string name{};
    std::string group{};
    std::string kind{};  // or the resource, as the API has it: both occur
    bool operator==(const Subject&) const = default;
};

struct Error {
    Code code = Code::kInternal;
    std::string message;
    std::vector<Cause> causes = {};
    Subject about = {};
    int retry_after_seconds = 0;  // 0: nothing is said of it
    bool operator==(const Error&) const = default;
};

// "expired: revision 3 is older than the oldest kept, 17"
std::string format_error(const Error& error);

template <class T = void>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& {
        CHECK(ok(), format_error(error()));
        return *std::get_if<0>(&state_);
    }
    T& value() & {
        CHECK(ok(), format_error(error()));
        return *std::get_if<0>(&state_);
    }
    T&& value() && { return std::move(value()); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const& {
        CHECK(!ok());
        return *std::get_if<1>(&state_);
    }
    Error&& error() && {
        CHECK(!ok());
        return std::move(*std::get_if<1>(&state_));
    }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    void value() const { CHECK(ok(), format_error(*error_)); }
    const Error& error() const& {
        CHECK(!ok());
        return *error_;
    }
    Error&& error() && {
        CHECK(!ok());
        return std::move(*error_);
    }

private:
    std::optional<Error> error_;
};

}  // namespace muster

#define MUSTER_CONCAT_(a, b) a##b
#define MUSTER_CONCAT(a, b) MUSTER_CONCAT_(a, b)

// Leaves the enclosing function with the error, or goes on: TRY(store.sync());
#define TRY(expression)                                                                                              \
    do {                                                                                                             \
        if (auto try_result = (expression); !try_result.ok()) return ::muster::Error(std::move(try_result).error()); \
    } while (false)
// TRY_ASSIGN(auto pod, decode_pod(bytes));
#define TRY_ASSIGN(target, expression) TRY_ASSIGN_(MUSTER_CONCAT(try_result_, __LINE__), target, expression)
#define TRY_ASSIGN_(result, target, expression)                          \
    auto result = (expression);                                          \
    if (!result.ok()) return ::muster::Error(std::move(result).error()); \
    target = std::move(result).value()
// The same inside a coroutine.
#define CO_TRY(expression)                                            \
    do {                                                              \
        if (auto try_result = (expression); !try_result.ok())         \
            co_return ::muster::Error(std::move(try_result).error()); \
    } while (false)
#define CO_TRY_ASSIGN(target, expression) CO_TRY_ASSIGN_(MUSTER_CONCAT(try_result_, __LINE__), target, expression)
#define CO_TRY_ASSIGN_(result, target, expression)                          \
    auto result = (expression);                                             \
    if (!result.ok()) co_return ::muster::Error(std::move(result).error()); \
    target = std::move(result).value()
