// Asks a cluster what start_rules.h has to know before controllers start: its version, our rights, the kinds of
// queueing, and whether Kueue is at work. Nothing is written.
#pragma once

#include <set>
#include <string>

#include "assembly/cluster/start_rules.h"
#include "client/remote/remote_client.h"

namespace muster {

struct StartQuestions {
    std::set<std::string> parts{};  // of permissions.h
    AccessScope scope{};
    bool observe = false;
    bool queue = false;
    bool force_queue = false;
};

// kBadRequest with a sentence when something is missing, and the server's error when it gives no answer. What could
// not be looked at and is not needed goes to `notes`. Client and notes must outlive it.
os::Task<Result<>> check_start(os::Loop& loop, client::RemoteClient& client, StartQuestions questions,
                               std::vector<std::string>& notes);

}  // namespace muster
