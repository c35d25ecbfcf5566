// The controllers of one process beside a cluster, from the start-up checks to the end:
//
//     check the cluster  →  wait for the lease  →  lead: mirrors and controllers  →  told to stop: give the lease back
//
// All requests go over one link. A lost lease ends the process (kLost): a fresh one has no stale memory. When versions
// of the cluster's objects go back (etcd restored from a backup), no write is sent any more, and the controllers are
// destroyed with their mirrors and made again with empty memories; the lease is kept if it is still ours.
// Pods are watched by their labels. When a Job appears whose pods have other labels, the controllers are made again
// with all pods.
// The endpoints of the process (health, metrics, webhook) are made by others, who ask is_ready and the like.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "assembly/cluster/start_checks.h"
#include "assembly/controller_set.h"
#include "client/leader_election.h"
#include "client/mirror.h"
#include "client/remote/remote_client.h"

namespace muster {

struct ClusterSettings {
    std::set<std::string> controllers{};
    std::set<std::string> other_parts{};  // of permissions.h, whose rights are checked, too
    std::string namespace_{};             // empty: all
    bool observe = false;
    bool force_queue = false;
    bool leader_elect = true;
    client::LeaderElectionOptions election;
    ControllerSetOptions set{};
    Duration patience = 30s;  // with a server that does not answer the start-up checks
};

// Told in sentences: what goes on, and what an operator should look at.
struct ClusterTold {
    std::function<void(std::string_view)> log = [](std::string_view) {};
    std::function<void(std::string_view)> problem = [](std::string_view) {};
    // Why the process does not start; may have several lines.
    std::function<void(std::string_view)> refusal = [](std::string_view) {};
};

class ClusterProcess {
public:
    enum class Outcome {
        kStopped,  // as told
        kRefused,  // by the start-up checks
        kLost,     // the lease
    };

    // The loop must outlive it.
    ClusterProcess(os::RealLoop& loop, std::shared_ptr<client::RemoteLink> link, ClusterSettings settings,
                   ClusterTold told);
    ~ClusterProcess();

    // To be called once.
    os::Task<Outcome> run();
    // Makes run() end, after the lease was given back.
    void stop();

    // The start-up checks passed, and what leads has seen all objects that it decides from.
    bool is_ready() const;
    // Whether this process acts at this moment; of an observer, whether it decides.
    bool leads() const;
    // In Prometheus' text format.
    std::string metrics_text() const;
    // For what is counted by other parts of the process.
    client::Metrics& metrics() { return metrics_; }
    // What it knows and waits for, for people: the rows of a topic (client/report/inspection.h).
    client::Inspection::Rows inspect(std::string_view topic) const;
    // Another client over the same link, which writes whether or not this process leads.
    std::unique_ptr<client::RemoteClient> make_client(client::RemoteSettings settings = {}) const;
    static client::RemoteSettings cluster_settings();

private:
    struct Lead;

    os::Task<void> work();
    os::Task<Result<>> check();
    void elect();
    void begin_lead();
    void end_lead();
    // Makes the controllers again whenever that is asked for.
    os::Task<void> renew_lead();
    // No write of the present controllers is sent any more, and others are made.
    void ask_renewal();
    os::Task<void> give_back();
    void finish(Outcome outcome);
    Result<> may_write(std::uint64_t generation) const;
    MakeClient client_factory(Lead& lead);
    StartQuestions questions() const;

    os::RealLoop& loop_;
    const std::shared_ptr<client::RemoteLink> link_;
    ClusterSettings settings_;
    const ClusterTold told_;
    client::Metrics metrics_;
    std::unique_ptr<client::RemoteClient> asker_;  // of the checks and of the lease
    // Looks at the lease while another holds it.
    std::unique_ptr<client::RemoteClient> lease_reader_;
    std::unique_ptr<client::LeaderElection> election_;
    std::unique_ptr<client::Mirror<api::coordination::Lease>> lease_;
    std::unique_ptr<Lead> lead_;
    std::uint64_t generation_ = 0;  // of the controllers: those of an earlier one write nothing
    bool checked_ = false;
    bool stopping_ = false;
    std::optional<Outcome> outcome_;
    os::Event renewal_;
    os::Event over_;
    os::TaskScope tasks_;
};

}  // namespace muster
