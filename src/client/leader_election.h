// One of several instances leads: those that want to act claim a Lease, and only its holder acts. The decision is
// decide_lease (client/lease_claim.h); this carries it out on the loop.
//
//     election.start()  →  on_started: make the controllers  →  on_stopped: destroy them  →  on_started …
//
// The leader's controllers write through a LedClient: the write itself checks whether the instance still leads, even
// when the process was suspended for a minute and its timers have not run yet. Requests that are already sent cannot be
// cancelled, so controllers must be correct with two leaders at once. A lease only makes that rare.
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
    // The lease cannot be read or written, for another reason than that someone else has changed it; it is tried again.
    std::function<void(const Error& error)> on_failed = [](const Error&) {};
};

class LeaderElection {
public:
    // All must outlive it. CHECKs that the times are sensible (check_lease_times) and the identity is not empty.
    LeaderElection(os::Loop& loop, Client& client, Metrics& metrics, LeaderElectionOptions options,
                   LeaderCallbacks callbacks);

    // To be called once. Runs until stop() or the destructor, neither of which the callbacks may call.
    void start();
    // Stops leading, then releases the lease, so that the next leader need not wait for its end. The release may fail,
    // and takes no longer than the renew deadline. To be called once, and not by objects that on_started made.
    os::Task<void> stop();

    // Whether this instance may act at this moment.
    bool leads() const;
    // Someone has seen that the lease is free: it is looked at now instead of at the next try. A leader, and an
    // instance that waits for an answer, go on as they are.
    void look_now();

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
    bool resting_ = false;  // until the next try
    os::TaskScope tasks_;
};

}  // namespace muster::client
