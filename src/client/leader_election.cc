#include "client/leader_election.h"

#include <algorithm>

#include "base/reached.h"
#include "os/log/log.h"
#include "os/loop/within.h"

namespace muster::client {
namespace {

const MetricInfo kMasterStatus{"leader_election_master_status",
                               "Whether this instance leads, by the name of the lease: 1 when it does, else 0."};
const MetricInfo kSlowPath{"leader_election_slowpath_total",
                           "How often a renewal had to look at the lease first, by the name of the lease."};

}  // namespace

LeaderElection::LeaderElection(os::Loop& loop, Client& client, Metrics& metrics, LeaderElectionOptions options,
                               LeaderCallbacks callbacks)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      random_(options_.seed),
      recorder_(loop, client, options_.component),
      tasks_(loop) {
    CHECK(check_lease_times(options_.times).ok(), "the lease's times are sensible");
    CHECK(!options_.identity.empty(), "a candidate has an identity");
    metrics_.set(kMasterStatus, {{"name", options_.lease.name.str()}}, 0);
}

void LeaderElection::start() {
    try_at_ = loop_.uptime();
    tasks_.spawn(run());
}

bool LeaderElection::leads() const { return granted_at_ && loop_.uptime() < acts_until(*granted_at_, options_.times); }

LeaseView LeaderElection::view() const {
    LeaseView view;
    view.self = options_.identity;
    view.times = options_.times;
    view.now = loop_.uptime();
    view.try_at = try_at_;
    view.knowledge = knowledge_;
    view.lease = lease_.get();
    view.changed_at = changed_at_;
    view.granted_at = granted_at_;
    return view;
}

os::Task<void> LeaderElection::run() {
    for (;;) {
        const LeaseDecision next = decide_lease(view());
        switch (next.step) {
            case LeaseStep::kWait:
                resting_ = true;
                co_await os::sleep_for(loop_, next.wait_until - loop_.uptime());
                resting_ = false;
                break;
            case LeaseStep::kLook: co_await look(); break;
            case LeaseStep::kCreate:
            case LeaseStep::kTake:
            case LeaseStep::kRenew: co_await claim(next.step); break;
            case LeaseStep::kLose:
                REACHED("a leader loses its lease");
                step_down();
                break;
        }
    }
}

void LeaderElection::look_now() {
    if (granted_at_ || !resting_) return;
    tasks_.cancel();
    resting_ = false;
    doubt(Duration());
    tasks_.spawn(run());
}

// Half of the time there is, so that one lost answer does not cost the lead.
Duration LeaderElection::request_time_max() const {
    const Duration half = options_.times.renew / 2;
    if (!granted_at_) return half;
    return std::min(half, acts_until(*granted_at_, options_.times) - loop_.uptime());
}

os::Task<LeaderElection::Answer> LeaderElection::ask(os::Task<Answer> request, Duration most) {
    std::optional<Answer> answer = co_await os::within(loop_, most, std::move(request));
    if (!answer) co_return Error{Code::kTimeout, "no answer in time"};
    co_return *std::move(answer);
}

os::Task<void> LeaderElection::look() {
    if (granted_at_) metrics_.count(kSlowPath, {{"name", options_.lease.name.str()}});
    Answer answer = co_await ask(client_.get<Lease>(options_.lease), request_time_max());
    if (answer.ok()) {
        see(*std::move(answer), Knowledge::kSeen);
        try_at_ = loop_.uptime() + draw_pause();
    } else if (answer.error().code == Code::kNotFound) {
        see(nullptr, Knowledge::kSeen);
        try_at_ = loop_.uptime() + draw_pause();
    } else {
        callbacks_.on_failed(answer.error());
        doubt(draw_pause());
    }
}

os::Task<void> LeaderElection::claim(LeaseStep step) {
    const bool create = step == LeaseStep::kCreate;
    const Knowledge known = knowledge_;
    Lease draft = claim_lease(create ? nullptr : lease_.get(), options_.identity, options_.times, loop_.now());
    if (create) {
        draft.metadata.namespace_ = options_.lease.namespace_;
        draft.metadata.name = options_.lease.name;
    }
    const Duration sent_at = loop_.uptime();
    os::Task<Answer> request =
        create ? client_.create<Lease>(std::move(draft)) : client_.change<Lease>(lease_, std::move(draft));
    Answer answer = co_await ask(std::move(request), request_time_max());
    if (answer.ok()) {
        see(*std::move(answer), Knowledge::kOwn);
        granted(sent_at);
    } else {
        const Code code = answer.error().code;
        if (code != Code::kConflict && code != Code::kAlreadyExists) callbacks_.on_failed(answer.error());
        // What one made oneself may have been changed: that is looked at without a pause.
        doubt(known == Knowledge::kOwn ? Duration() : draw_pause());
    }
}

void LeaderElection::see(Ref<Lease> lease, Knowledge knowledge) {
    // By the version, not by what is written in it: a renewal by a clock that was set back may look like the last one.
    const bool same = lease && lease_ && lease->metadata.uid == lease_->metadata.uid &&
                      lease->metadata.resource_version == lease_->metadata.resource_version;
    if (!same) changed_at_ = loop_.uptime();
    lease_ = std::move(lease);
    knowledge_ = knowledge;
    const Text holder = lease_ ? holder_of(*lease_) : Text();
    if (holder.empty() || holder == told_leader_) return;
    told_leader_ = holder;
    LOG_INFO(0, "The lease has a new holder", {"lease", options_.lease}, {"holder", holder},
             {"self", holder == options_.identity});
    callbacks_.on_new_leader(holder);
}

void LeaderElection::doubt(Duration pause) {
    knowledge_ = Knowledge::kDoubt;
    try_at_ = loop_.uptime() + pause;
}

void LeaderElection::granted(Duration sent_at) {
    try_at_ = sent_at + options_.times.retry;
    const bool late = loop_.uptime() >= acts_until(sent_at, options_.times);
    if (granted_at_) {
        granted_at_ = sent_at;
    } else if (late) {
        REACHED("a lease is granted so late that it is of no use");
        doubt(Duration());
    } else {
        granted_at_ = sent_at;
        metrics_.set(kMasterStatus, {{"name", options_.lease.name.str()}}, 1);
        LOG_INFO(0, "Became leader", {"lease", options_.lease}, {"identity", options_.identity});
        tell("became leader");
        callbacks_.on_started();
    }
}

void LeaderElection::step_down() {
    granted_at_.reset();
    metrics_.set(kMasterStatus, {{"name", options_.lease.name.str()}}, 0);
    LOG_INFO(0, "Stopped leading", {"lease", options_.lease}, {"identity", options_.identity});
    callbacks_.on_stopped();
    tell("stopped leading");
    doubt(draw_pause());
}

void LeaderElection::tell(const char* what) {
    if (!lease_) return;
    recorder_.note(*lease_, Note::normal("LeaderElection", options_.identity.str() + ' ' + what));
}

Duration LeaderElection::draw_pause() {
    const Duration retry = options_.times.retry;
    if (granted_at_) return retry;
    return retry + std::chrono::duration_cast<Duration>(random_.unit() * kRetryJitter * retry);
}

os::Task<void> LeaderElection::stop() {
    tasks_.cancel();
    resting_ = false;
    if (!granted_at_) co_return;
    step_down();
    co_await release();
}

os::Task<void> LeaderElection::release() {
    // The last renewal may have been answered or not: the version in hand is tried first, then the one there is.
    const Duration quarter = options_.times.renew / 4;
    for (int tries = 0; tries < 2; ++tries) {
        if (!lease_ || !(holder_of(*lease_) == options_.identity)) co_return;
        const Answer released =
            co_await ask(client_.change<Lease>(lease_, release_lease(*lease_, loop_.now())), quarter);
        if (released.ok()) co_return;
        const Answer seen = co_await ask(client_.get<Lease>(options_.lease), quarter);
        if (!seen.ok()) co_return;
        lease_ = *seen;
    }
}

}  // namespace muster::client
