#include "endpoints/access_gate.h"

#include "os/log/log.h"
#include "os/loop/guard.h"
#include "os/machine/digest.h"

namespace muster::endpoints {
namespace {

Duration user_kept(const AccessTimes& times, const UserRef&) { return times.user; }
Duration right_kept(const AccessTimes& times, const bool& allowed) { return allowed ? times.allowed : times.denied; }

// Parts one after the other, so that no two lists give the same text.
void add_part(std::string& out, std::string_view part) {
    out += std::to_string(part.size()) + ':';
    out += part;
}

std::string key_of(const api::authentication::UserInfo& user, std::string_view path) {
    std::string out;
    add_part(out, path);
    add_part(out, user.username);
    add_part(out, user.uid);
    for (const Text& group : user.groups) add_part(out, group);
    out += '/';
    for (const auto& [name, values] : user.extra) {
        add_part(out, name);
        for (const Text& value : values) add_part(out, value);
        out += '/';
    }
    return os::sha256_hex(out);
}

}  // namespace

std::string bearer_token(std::string_view authorization) {
    constexpr std::string_view kScheme = "bearer ";
    if (authorization.size() <= kScheme.size()) return {};
    for (std::size_t i = 0; i < kScheme.size(); ++i)
        if ((authorization[i] | (kScheme[i] == ' ' ? 0 : 0x20)) != kScheme[i]) return {};
    authorization.remove_prefix(kScheme.size());
    while (authorization.starts_with(' ')) authorization.remove_prefix(1);
    return std::string(authorization);
}

AccessGate::AccessGate(os::Loop& loop, Reviewers reviewers, AccessTimes times)
    : loop_(loop), reviewers_(std::move(reviewers)), times_(times) {}

template <class T>
void AccessGate::keep(Known<T>& known, const std::string& key, const T& answer, Duration span) {
    const Duration now = loop_.uptime();
    if (known.answers.size() >= kKeptMax)
        std::erase_if(known.answers, [&](const auto& one) { return one.second.second <= now; });
    // Still full of what holds: some other is asked about again.
    if (known.answers.size() >= kKeptMax) known.answers.erase(known.answers.begin());
    known.answers.insert_or_assign(key, std::pair(answer, now + span));
}

template <class T>
os::Task<Result<T>> AccessGate::ask(Known<T>& known, std::string key, os::Task<Result<T>> question,
                                    Duration (*kept)(const AccessTimes& times, const T& answer)) {
    const auto found = known.answers.find(key);
    if (found != known.answers.end() && loop_.uptime() < found->second.second) co_return found->second.first;
    const auto flying = known.flights.find(key);
    if (flying != known.flights.end()) {
        const std::shared_ptr<Flight<T>> flight = flying->second;
        while (!flight->answer) co_await flight->landed.wait();
        co_return *flight->answer;
    }
    const auto flight = std::make_shared<Flight<T>>(loop_);
    known.flights.emplace(key, flight);
    Result<T> answer = co_await os::guarded(std::move(question));
    if (answer.ok()) keep(known, key, *answer, kept(times_, *answer));
    flight->answer = answer;
    known.flights.erase(key);
    flight->landed.notify();
    co_return answer;
}

os::Task<std::optional<Refusal>> AccessGate::admit(std::string authorization, std::string path) {
    const std::string token = bearer_token(authorization);
    if (token.empty()) co_return Refusal{401, "Unauthorized\n"};
    auto asked_user = ask(users_, os::sha256_hex(token), reviewers_.find_user(token), &user_kept);
    const Result<UserRef> user = co_await std::move(asked_user);
    if (!user.ok()) {
        LOG_WARNING("Cannot review a token", {"path", path}, {"err", user.error().message});
        co_return Refusal{500, "Authentication failed\n"};
    }
    if (!*user) co_return Refusal{401, "Unauthorized\n"};
    auto asked_right = ask(rights_, key_of(**user, path), reviewers_.may_get(*user, path), &right_kept);
    const Result<bool> allowed = co_await std::move(asked_right);
    if (!allowed.ok()) {
        LOG_WARNING("Cannot review access", {"path", path}, {"user", (*user)->username},
                    {"err", allowed.error().message});
        co_return Refusal{500, "Authorization failed\n"};
    }
    if (*allowed) co_return std::nullopt;
    LOG_INFO(4, "Refused a request", {"path", path}, {"user", (*user)->username});
    co_return Refusal{403, "Authorization denied for user " + (*user)->username.str() + "\n"};
}

}  // namespace muster::endpoints
