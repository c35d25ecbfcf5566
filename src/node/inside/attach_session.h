// A client that is attached to a container: it gets what the container says from now on, and the container gets its
// input. A terminal's output comes from the keeper as it is said; other output from the log, line by line.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "node/keeper/keeper_client.h"
#include "node/logs/log_follower.h"
#include "node/runtime/run_board.h"
#include "os/loop/session.h"

namespace muster::node {

struct AttachRequest {
    RunKey key{};
    std::string log_path{};
    bool input = false;       // the client sends some and the container takes it
    bool ends_input = false;  // the container's input ends with the client's
    bool output = false;
    bool errors = false;
    bool terminal = false;  // the container has one
};

// Brings what the keeper says of streams to the sessions that it is for.
class Attachments {
public:
    // Both must outlive it, and it the sessions.
    Attachments(KeeperClient& runtime, LogPlaces places);
    ~Attachments();

    std::unique_ptr<os::Session> attach(AttachRequest request);

private:
    class Session;
    void on_message(const StreamMessage& message);

    KeeperClient& runtime_;
    const LogPlaces places_;
    std::multimap<RunKey, Session*> sessions_;
};

}  // namespace muster::node
