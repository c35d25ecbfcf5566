// One of several instances leads: those that want to act claim a Lease, and only its holder acts. The decision is
// decide_lease (client/lease_claim.h); this carries it out on the loop.
//
//     election.start()  →  on_started: make the controllers  →  on_stopped: destroy them  →  on_started …
//
// Whoever acts for the leader writes through a LedClient: that an instance has to stop is noticed by the write itself,
// even when the process was stopped for a minute and its timers have not come by yet. Requests that are under way
// cannot be called back: controllers must be right with two of them, a lease only makes that rare.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "api/kinds/coordination.h"
#include "base/prng.h"
#include "client/client.h"
#include "client/lease_claim.h"
#include "client/metrics.h"
#include "client/recorder.h"
#include "os/loop/loop.h"

namespace muster::client {

struct LeaderElectionOptions {
    ObjectName lease;
    Text identity;   // of this life of the process; never used again by another
    Text component;  // who reports events
    LeaseTimes times{};
    std::uint64_t seed = 1;  // of the pauses between tries, which should differ between instances
};

struct LeaderCallbacks {
    std::function<void()> on_started;
    // Nothing may be sent from here on. Called as often as on_started, but for an election that is destroyed.
    std::function<void()> on_stopped;
    std::function<void(const Text& identity)> on_new_leader = [](const Text&) {};
};

class LeaderElection {
public:
    // All must outlive it. CHECKs that the times are sensible (check_lease_times) and the identity is not empty.
    LeaderElection(os::Loop& loop, Client& client, Metrics& metrics, LeaderElectionOptions options,
                   LeaderCallbacks callbacks);

    // Once. It then goes on until it is stopped or destroyed, which the callbacks must not do.
    void start();
    // Stops leading, then gives the lease back, so that nobody has to wait for its end; that may fail, and takes no
    // longer than the renew deadline. To be called once, and not by what on_started made.
    os::Task<void> stop();

    // Whether whoever asks may act, at this very moment.
    bool leads() const;

private:
    using Lease = api::coordination::Lease;
    using Knowledge = LeaseView::Knowledge;
    using Answer = Result<Ref<Lease>>;

    LeaseView view() const;
    os::Task<void> run();
    os::Task<void> look();
    os::Task<void> claim(LeaseStep step);
    os::Task<void> release();
    os::Task<Answer> ask(os::Task<Answer> request, Duration most);
    void see(Ref<Lease> lease, Knowledge knowledge);
    void doubt(Duration pause);
    void granted(Duration sent_at);
    void step_down();
    void tell(const char* what);
    // Before the next try: the same for a leader, different by chance for candidates.
    Duration draw_pause();
    Duration request_time_max() const;

    os::Loop& loop_;
    Client& client_;
    Metrics& metrics_;
    const LeaderElectionOptions options_;
    const LeaderCallbacks callbacks_;
    Prng random_;
    Recorder recorder_;
    Ref<Lease> lease_;  // null: there is none, as far as is known
    Knowledge knowledge_ = Knowledge::kDoubt;
    Duration changed_at_{};
    Duration try_at_{};
    std::optional<Duration> granted_at_;
    Text told_leader_;
    os::TaskScope tasks_;
};

}  // namespace muster::client
