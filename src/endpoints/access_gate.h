// Who may read metrics: the holder of a bearer token that the API server knows (TokenReview) and whose user may `get`
// the path (SubjectAccessReview), as controller-runtime's filter does it. Answers are remembered for a while, and
// several requests that ask the same share one question. Tokens are kept as digests only.
// To be used on the loop only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/kinds/authentication.h"
#include "base/result.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::endpoints {

using UserRef = std::shared_ptr<const api::authentication::UserInfo>;

// The two questions. An error means that there is no answer now.
struct Reviewers {
    std::function<os::Task<Result<UserRef>>(std::string token)> find_user;  // null: the token is worth nothing
    std::function<os::Task<Result<bool>>(UserRef user, std::string path)> may_get;
};

struct AccessTimes {
    Duration user = 1min;  // also of tokens that are worth nothing
    Duration allowed = 5min;
    Duration denied = 30s;
};

// What a request without the right is told.
struct Refusal {
    int status;  // 401, 403, or 500 when the API server gives no answer
    std::string body;
    bool operator==(const Refusal&) const = default;
};

class AccessGate {
public:
    // So many answers of each sort are remembered.
    static constexpr std::size_t kKeptMax = 1024;

    AccessGate(os::Loop& loop, Reviewers reviewers, AccessTimes times = {});

    // `authorization` is the header. Nothing: the request may go on.
    os::Task<std::optional<Refusal>> admit(std::string authorization, std::string path);

private:
    // A question whose answer others may wait for.
    template <class T>
    struct Flight {
        explicit Flight(os::Loop& loop) : landed(loop) {}
        std::optional<Result<T>> answer;
        os::Event landed;
    };
    template <class T>
    struct Known {
        std::map<std::string, std::pair<T, Duration>> answers;  // until when
        std::map<std::string, std::shared_ptr<Flight<T>>> flights;
    };
    template <class T>
    os::Task<Result<T>> ask(Known<T>& known, std::string key, os::Task<Result<T>> question,
                            Duration (*kept)(const AccessTimes& times, const T& answer));
    template <class T>
    void keep(Known<T>& known, const std::string& key, const T& answer, Duration span);

    os::Loop& loop_;
    const Reviewers reviewers_;
    const AccessTimes times_;
    Known<UserRef> users_;
    Known<bool> rights_;
};

// "Bearer x" → "x"; empty when it is none.
std::string bearer_token(std::string_view authorization);

}  // namespace muster::endpoints
