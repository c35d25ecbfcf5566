#include "assembly/cluster/cluster_process.h"

#include <map>

#include "api/kinds/batch_names.h"
#include "assembly/cluster/job_watch.h"
#include "assembly/cluster/observing_client.h"
#include "client/lease_claim.h"
#include "client/led_client.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/ttl/decide.h"

namespace muster {
namespace {

using api::batch::Job;
using api::coordination::Lease;
using client::RemoteClient;
using client::RemoteSettings;

constexpr const char* kFieldManager = "muster";
constexpr Duration kAskAgain = 1s;

bool gives_no_answer(const Error& error) {
    return error.code == Code::kUnavailable || error.code == Code::kTimeout || error.code == Code::kIo;
}

}  // namespace

// What exists while this process leads, in the order in which it refers to one another.
struct ClusterProcess::Lead {
    Lead(ClusterProcess& process, std::uint64_t number)
        : generation(number),
          reader(process.make_client(reading(process.settings_, {}))),
          mirrors(process.loop_, *reader, process.told_.problem,
                  [this, &process](const api::KindInfo& kind, std::string_view labels) {
                      return select(process, kind, labels);
                  }) {}

    static RemoteSettings reading(const ClusterSettings& settings,
                                  std::map<const api::KindInfo*, client::Selection> selections) {
        RemoteSettings out = cluster_settings();
        out.namespace_ = settings.namespace_;
        out.with_managers = {&api::kind_info<Job>()};
        out.selections = std::move(selections);
        return out;
    }

    client::Client* select(const ClusterProcess& process, const api::KindInfo& kind, std::string_view labels) {
        std::unique_ptr<RemoteClient>& client = selecting[{&kind, std::string(labels)}];
        if (!client)
            client = process.make_client(reading(process.settings_, {{&kind, {.labels = std::string(labels)}}}));
        return client.get();
    }

    const std::uint64_t generation;
    client::Metrics metrics;
    std::unique_ptr<RemoteClient> reader;
    std::map<std::pair<const api::KindInfo*, std::string>, std::unique_ptr<RemoteClient>> selecting;
    client::SharedMirrors mirrors;
    std::unique_ptr<client::Client> watching;  // of job_watch
    std::unique_ptr<JobWatch> job_watch;
    std::unique_ptr<ControllerSet> set;
};

RemoteSettings ClusterProcess::cluster_settings() {
    RemoteSettings settings;
    settings.dialect = api::Dialect::kKubernetes;
    settings.field_manager = kFieldManager;
    return settings;
}

ClusterProcess::ClusterProcess(os::RealLoop& loop, std::shared_ptr<client::RemoteLink> link, ClusterSettings settings,
                               ClusterTold told)
    : loop_(loop),
      link_(std::move(link)),
      settings_(std::move(settings)),
      told_(std::move(told)),
      asker_(make_client(cluster_settings())),
      renewal_(loop),
      over_(loop),
      tasks_(loop) {
    // The pods of all other Jobs have the label of a generated selector.
    settings_.set.ownership.manual_selectors = false;
    // An annotation cannot be selected by. It counts for pods of Jobs and queued pods; others need the label.
    settings_.set.ttl_pod_labels = {api::batch::kControllerUidLabel, controllers::kManagedPods,
                                    controllers::kPodTtlName};
}

ClusterProcess::~ClusterProcess() = default;

std::unique_ptr<RemoteClient> ClusterProcess::make_client(RemoteSettings settings) const {
    return std::make_unique<RemoteClient>(link_, std::move(settings));
}

os::Task<ClusterProcess::Outcome> ClusterProcess::run() {
    tasks_.spawn(work());
    while (!outcome_) co_await over_.wait();
    tasks_.cancel();
    end_lead();
    co_return *outcome_;
}

void ClusterProcess::finish(Outcome outcome) {
    if (!outcome_) outcome_ = outcome;
    over_.notify();
}

void ClusterProcess::stop() {
    if (std::exchange(stopping_, true)) return;
    if (!election_) return finish(Outcome::kStopped);
    tasks_.spawn(give_back());
}

os::Task<void> ClusterProcess::give_back() {
    co_await election_->stop();
    finish(Outcome::kStopped);
}

os::Task<void> ClusterProcess::work() {
    const Result<> checked = co_await check();
    if (!checked.ok()) {
        told_.refusal(checked.error().message);
        finish(Outcome::kRefused);
        co_return;
    }
    checked_ = true;
    tasks_.spawn(renew_lead());
    if (settings_.observe) {
        told_.log("observing: what would be written is told, and nothing is written");
        begin_lead();
    } else if (!settings_.leader_elect) {
        begin_lead();
    } else {
        elect();
    }
}

StartQuestions ClusterProcess::questions() const {
    StartQuestions questions;
    questions.parts = settings_.controllers;
    questions.parts.insert(settings_.other_parts.begin(), settings_.other_parts.end());
    const bool elects = settings_.leader_elect && !settings_.observe;
    if (elects) questions.parts.emplace(kLeaderElectionPart);
    questions.scope = {settings_.namespace_, settings_.election.lease.namespace_.str(),
                       settings_.election.lease.name.str()};
    questions.observe = settings_.observe;
    questions.queue = settings_.controllers.contains(kQueueController);
    questions.force_queue = settings_.force_queue;
    return questions;
}

os::Task<Result<>> ClusterProcess::check() {
    const Duration began = loop_.uptime();
    for (bool told = false;;) {
        std::vector<std::string> notes;
        const Result<> checked = co_await check_start(loop_, *asker_, questions(), notes);
        if (checked.ok() || !gives_no_answer(checked.error())) {
            for (const std::string& note : notes) told_.problem(note);
            co_return checked;
        }
        if (loop_.uptime() - began >= settings_.patience) co_return checked;
        if (!std::exchange(told, true)) told_.problem(checked.error().message + "; it is asked again");
        co_await os::sleep_for(loop_, kAskAgain);
    }
}

void ClusterProcess::elect() {
    client::LeaderCallbacks callbacks;
    callbacks.on_started = [this] {
        told_.log("leading as " + settings_.election.identity.str());
        begin_lead();
    };
    callbacks.on_stopped = [this] {
        end_lead();
        if (stopping_) return;
        told_.problem("the lease " + client::format_name(settings_.election.lease) + " is lost: this process ends");
        finish(Outcome::kLost);
    };
    callbacks.on_new_leader = [this](const Text& leader) {
        if (!(leader == settings_.election.identity)) told_.log("waiting: " + leader.str() + " leads");
    };
    callbacks.on_failed = [this, last = std::string()](const Error& error) mutable {
        if (std::exchange(last, error.message) == error.message) return;
        told_.problem("the lease " + client::format_name(settings_.election.lease) + ": " + error.message);
    };
    election_ =
        std::make_unique<client::LeaderElection>(loop_, *asker_, metrics_, settings_.election, std::move(callbacks));
    RemoteSettings reading = cluster_settings();
    reading.namespace_ = settings_.election.lease.namespace_.str();
    reading.selections[&api::kind_info<Lease>()] = {.fields = "metadata.name=" + settings_.election.lease.name.str()};
    lease_reader_ = make_client(std::move(reading));
    lease_ = std::make_unique<client::Mirror<Lease>>(loop_, *lease_reader_);
    lease_->on_change([this](const auto&, const client::Ref<Lease>& now) {
        if (!stopping_ && (!now || client::holder_of(*now).empty())) election_->look_now();
    });
    election_->start();
    lease_->start();
}

Result<> ClusterProcess::may_write(std::uint64_t generation) const {
    if (generation != generation_)
        return Error{Code::kUnavailable, "the API server's data was restored: these controllers write nothing more"};
    if (election_ && !election_->leads()) return Error{Code::kUnavailable, "this instance does not lead"};
    return {};
}

MakeClient ClusterProcess::client_factory(Lead& lead) {
    return [this, &lead](std::string_view) -> std::unique_ptr<client::Client> {
        auto client = make_client(cluster_settings());
        client->share(&lead.mirrors);
        if (settings_.observe) return std::make_unique<ObservingClient>(std::move(client), told_.log);
        const std::uint64_t generation = lead.generation;
        return std::make_unique<client::LedClient>(std::move(client),
                                                   [this, generation] { return may_write(generation); });
    };
}

void ClusterProcess::begin_lead() {
    lead_ = std::make_unique<Lead>(*this, ++generation_);
    lead_->mirrors.on_restored([this] { ask_renewal(); });
    lead_->mirrors.count_in(lead_->metrics);
    const MakeClient make = client_factory(*lead_);
    JobWatchOptions watch;
    watch.ownership = settings_.set.ownership;
    watch.queue = settings_.controllers.contains(kQueueController);
    watch.field_manager = kFieldManager;
    watch.problem = told_.problem;
    watch.on_other_pods = [this] {
        if (settings_.set.ownership.manual_selectors) return;
        settings_.set.ownership.manual_selectors = true;
        told_.log("a Job has a selector of its own (manualSelector): all pods are watched from now on");
        ask_renewal();
    };
    lead_->watching = make("job-watch");
    lead_->job_watch = std::make_unique<JobWatch>(loop_, *lead_->watching, lead_->metrics, std::move(watch));
    lead_->set = std::make_unique<ControllerSet>(loop_, lead_->metrics, make, settings_.set);
    lead_->job_watch->start();
    lead_->set->start(settings_.controllers);
}

void ClusterProcess::end_lead() {
    ++generation_;
    lead_.reset();
}

void ClusterProcess::ask_renewal() {
    ++generation_;
    renewal_.notify();
}

os::Task<void> ClusterProcess::renew_lead() {
    for (;;) {
        co_await renewal_.wait();
        if (!lead_ || lead_->generation == generation_) continue;
        lead_.reset();
        told_.log("the controllers are made again, with empty memories");
        begin_lead();
    }
}

bool ClusterProcess::leads() const { return lead_ && may_write(lead_->generation).ok(); }

bool ClusterProcess::is_ready() const {
    if (!checked_) return false;
    bool synced = true;
    if (lead_)
        lead_->mirrors.for_each(
            [&](const client::MirrorSource& source, const std::string&) { synced = synced && source.synced(); });
    return synced;
}

std::string ClusterProcess::metrics_text() const {
    return metrics_.format() + (lead_ ? lead_->metrics.format() : std::string());
}

client::Inspection::Rows ClusterProcess::inspect(std::string_view topic) const {
    client::Inspection::Rows rows = metrics_.inspection().ask(topic);
    if (!lead_) return rows;
    if (topic == client::kMirrorsTopic) lead_->mirrors.report(rows);
    for (client::Inspection::Row& row : lead_->metrics.inspection().ask(topic)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace muster
