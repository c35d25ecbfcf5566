// The sessions of one sort that clients have open: watches, logs, commands in pods, forwarded ports. The set owns them
// by number. It brings what happens on the threads that carry connections to a session on the loop, if the session is
// still there then. A session does not destroy itself: it asks to be forgotten, and goes when nothing of it is running.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "os/loop/guard.h"
#include "os/loop/loop.h"

namespace muster::server {

template <class Session>
class SessionSet {
public:
    using Id = std::uint64_t;

    // `what` names one of them in the report of a failure: "a log". The loop must outlive the set.
    SessionSet(os::Loop& loop, std::string what)
        : loop_(loop), what_(std::move(what)), self_(std::make_shared<SessionSet*>(this)) {}
    ~SessionSet() { *self_ = nullptr; }
    SessionSet(const SessionSet&) = delete;
    SessionSet& operator=(const SessionSet&) = delete;

    // The number of a session that will be added, for the calls that it needs before it can be made.
    Id take_id() { return ++last_id_; }
    Session& add(Id id, std::unique_ptr<Session> session) {
        CHECK(id <= last_id_ && session);
        const auto [at, added] = sessions_.emplace(id, std::move(session));
        CHECK(added, "a number is given once");
        return *at->second;
    }
    // Not from within the session.
    void forget(Id id) { sessions_.erase(id); }
    void forget_soon(Id id) { loop_.post(forgetting(id)); }

    std::size_t size() const { return sessions_.size(); }
    // kTooManyRequests with that sentence when there are so many already.
    Result<> check_room(std::size_t sessions_max, std::string_view sentence) const {
        if (sessions_.size() < sessions_max) return {};
        Error error{Code::kTooManyRequests, std::string(sentence)};
        error.retry_after_seconds = 1;
        return error;
    }
    // Null when there is none.
    Session* oldest() const { return sessions_.empty() ? nullptr : sessions_.begin()->second.get(); }

    // Work for the loop that forgets the session.
    auto forgetting(Id id) const {
        return [self = self_, id] {
            if (*self) (*self)->forget(id);
        };
    }
    // Work for any thread that does the same on the loop.
    auto forgetting_on_loop(Id id) const {
        return [&loop = loop_, forget = forgetting(id)] { loop.post(forget); };
    }
    // Work for any thread that calls `act(session)` on the loop.
    template <class Act>
    auto on_loop(Id id, Act act) const {
        return [&loop = loop_, self = self_, id, act] {
            loop.post([self, id, act] {
                if (*self) (*self)->call(id, act);
            });
        };
    }
    // The same for bytes from a connection: calls `act(session, bytes)` with a copy of them.
    template <class Act>
    auto on_loop_with_bytes(Id id, Act act) const {
        return [&loop = loop_, self = self_, id, act](std::string_view bytes) {
            loop.post([self, id, act, copy = std::string(bytes)] {
                if (*self) (*self)->call(id, [&](Session& session) { act(session, std::string_view(copy)); });
            });
        };
    }

private:
    // An exception ends the session and nothing else.
    template <class Act>
    void call(Id id, const Act& act) {
        const auto found = sessions_.find(id);
        if (found == sessions_.end()) return;
        const Result<> called = os::attempt([&] { act(*found->second); });
        if (called.ok()) return;
        os::report_failure(what_, called.error().message);
        forget(id);
    }

    os::Loop& loop_;
    const std::string what_;
    std::map<Id, std::unique_ptr<Session>> sessions_;
    Id last_id_ = 0;
    const std::shared_ptr<SessionSet*> self_;  // null inside when the set is gone
};

}  // namespace muster::server
