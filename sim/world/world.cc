#include "sim/world/world.h"

#include "api/kinds/core/namespace.h"
#include "base/reached.h"
#include "sim/world/hosts.h"
#include "sim/world/upstream_jobs.h"
#include "store/checksum.h"

namespace muster::sim {
namespace {

constexpr Duration kQuiet = 90s;
constexpr Duration kPacketsMax = 30s;  // longer than any of them takes
constexpr Duration kLivenessMax = 4h;
constexpr std::uint64_t kStepsMax = 3'000'000;
constexpr std::size_t kStoryLines = 60;
// Of those that are given between a backup and its restore: more than all others of a run, so that no version of the
// time that is lost is given again.
constexpr std::int64_t kRevisionsSinceBackup = 1'000'000;

// What a server has on its disk after its first start, as far as a simulation cares.
const Disk& first_disk() {
    static const Disk disk = [] {
        Disk made;
        os::VirtualLoop loop;
        const auto server = Server::open(loop, made, {}).value();
        for (const char* name : {"default", "kube-system", "kube-node-lease"}) {
            auto draft = std::make_shared<server::TypedObject<api::core::Namespace>>();
            draft->value.metadata.name = name;
            const server::Place place{api::kind_info<api::core::Namespace>(), "", name};
            CHECK(server->objects().create(place, std::move(draft), {}).ok());
        }
        CHECK(loop.run_until([&] { return server->store().durable_revision() == server->store().revision(); }));
        return made;
    }();
    return disk;
}

}  // namespace

World::World(std::uint64_t seed, Scenario drawn, Trace::Want want)
    : network(Prng(seed ^ 0x6e65'7477'6f72'6bu)),
      api(loop, Prng(seed ^ 0x6170'6920'7365'7276u)),
      disk(first_disk()),
      history([this](const Change& change) {
          run_hash_ = store::mix64(run_hash_ ^ store::hash64(change.key) ^ change.revision);
          trace.note(loop.uptime(), "*", [&] {
              return "@" + std::to_string(change.revision) + " " + std::string(change.key) +
                     (change.now ? change.before ? "" : " created" : " gone");
          });
          for (const auto& checker : checkers_) checker->on_change(*this, change);
      }),
      seed_(seed),
      scenario_(std::move(drawn)),
      random_(seed),
      embedded_(scenario_.world.text("layout", "embedded") == "embedded"),
      keeps_events_(scenario_.world.number("events", 0) != 0) {
    trace.want = want;
    network.latency_max = scenario_.world.span("latency", 2ms);
    network_tasks_ = std::make_unique<os::TaskScope>(loop);
    user_tasks_ = std::make_unique<os::TaskScope>(loop);
    for (auto& checker : make_checkers())
        if (!scenario_.without.contains(std::string(checker->name()))) checkers_.push_back(std::move(checker));
    for (const ScenarioPart& part : scenario_.workloads) {
        workloads_.push_back(make_workload(part.name, part.settings, random_.split()));
        CHECK(workloads_.back(), "no such workload: " + part.name);
    }
    for (const ScenarioPart& part : scenario_.faults) {
        faults_.push_back(make_fault(part.name, part.settings, random_.split()));
        CHECK(faults_.back(), "no such fault: " + part.name);
    }
    const std::size_t fighting = embedded_ ? 1 : static_cast<std::size_t>(scenario_.world.number("instances", 1));
    controllers_.resize(fighting);
    restarting_controllers_.resize(fighting);
    lives_.resize(fighting);
    const auto nodes = static_cast<std::size_t>(scenario_.world.number("nodes", 1));
    for (std::size_t i = 0; i < nodes; ++i) {
        machines_.push_back(std::make_unique<Machine>(
            loop, random_.split(), "n" + std::to_string(i),
            [this](const Machine& machine, const ProcessTruth& process) {
                const node::RunRecord& record = process.record;
                run_hash_ = store::mix64(run_hash_ ^ store::hash64(record.key.pod_uid) ^
                                         static_cast<std::uint64_t>(record.code + 1000 * record.signal));
                trace.note(loop.uptime(), "*", [&] {
                    return machine.name().str() + ": process of " + record.key.pod_uid.str() + " attempt " +
                           std::to_string(record.key.attempt) + " state " +
                           std::to_string(static_cast<int>(record.state)) + " code " + std::to_string(record.code) +
                           " signal " + std::to_string(record.signal);
                });
                for (const auto& checker : checkers_) checker->on_run(*this, machine, process);
            }));
        agents_.emplace_back();
        restarting_agents_.push_back(false);
    }
}

World::~World() {
    agents_.clear();
    controllers_.clear();
    upstream_jobs_.reset();
    stop_server();
    user_tasks_.reset();
    network_tasks_.reset();
}

void World::fail(std::string_view checker, std::string_view subject, std::string reason) {
    if (scenario_.without.contains(std::string(checker))) return;
    trace.note(loop.uptime(), subject, [&] { return "WRONG (" + std::string(checker) + "): " + reason; });
    if (!failure_) failure_ = Failure{std::string(checker), std::string(subject), std::move(reason)};
}

std::optional<Failure> World::judge_at_rest() {
    for (const auto& checker : checkers_) checker->at_rest(*this);
    return failure_;
}

void World::acknowledged(store::Revision revision) {
    for (const auto& checker : checkers_) checker->on_acknowledged(*this, revision);
}

void World::watcher_listed(int watcher, const api::KindInfo& kind, const std::vector<Seen>& objects,
                           store::Revision revision) {
    for (const auto& checker : checkers_) checker->on_listed(*this, watcher, kind, objects, revision);
}

void World::watcher_saw(int watcher, const Seen& seen) {
    trace.note(loop.uptime(), "watcher-" + std::to_string(watcher), [&] {
        return "sees " + seen.key + " @" + std::to_string(seen.revision) + (seen.removed ? " gone" : "");
    });
    for (const auto& checker : checkers_) checker->on_seen(*this, watcher, seen);
}

void World::user_removes(std::string_view name) {
    note(name, "a user deletes it");
    for (const auto& checker : checkers_) checker->on_user_removal(*this, name);
}

void World::clock_jumped(Duration jump) {
    note("*", "the clock jumps by " + std::to_string(std::chrono::duration<double>(jump).count()) + " s");
    for (const auto& checker : checkers_) checker->on_clock_jump(*this, jump);
}

void World::instance_granted(int instance, Duration sent_at) {
    for (const auto& checker : checkers_) checker->on_granted(*this, instance, sent_at);
}

void World::instance_leads(int instance, bool leads) {
    note("*", "instance " + std::to_string(instance) + (leads ? " leads" : " leads no more"));
    run_hash_ = store::mix64(run_hash_ ^ static_cast<std::uint64_t>(2 * instance + (leads ? 1 : 0)));
    for (const auto& checker : checkers_) checker->on_leads(*this, instance, leads);
}

void World::instance_writes(int instance, const std::string& what) {
    for (const auto& checker : checkers_) checker->on_write(*this, instance, what);
}

bool World::requests_may_be_late() const {
    if (!embedded_) return true;
    for (const ScenarioPart& fault : scenario_.faults)
        if (fault.name == "network" || fault.name == "partition") return true;
    return false;
}

bool World::senders_may_be_gone() const {
    if (embedded_) return requests_may_be_late();
    for (const ScenarioPart& fault : scenario_.faults) {
        const bool dies = fault.name == "crash" && fault.settings.text("only", "any") != "server";
        const bool forgets = dies || fault.name == "handover" || fault.name == "restore" || fault.name == "instances" ||
                             fault.name == "disk";
        const bool late = fault.name == "network" &&
                          (fault.settings.number("ghost", 0) != 0 || fault.settings.number("duplicate", 0) != 0);
        if (forgets || late) return true;
    }
    return false;
}

std::shared_ptr<RemoteParts> World::make_remote_parts(os::Loop& process) const {
    const auto connections = static_cast<std::size_t>(scenario_.world.number("connections", 64));
    return std::make_shared<RemoteParts>(process, connections);
}

MachineRuns* World::runtime_of(std::size_t machine) { return agents_[machine] ? &agents_[machine]->runs() : nullptr; }

void World::at_boundary(std::function<void()> action, std::uint64_t steps_later) {
    boundaries_.push_back({steps_ + steps_later, std::move(action)});
}

void World::later(Duration delay, std::function<void()> action) { loop.after(delay, std::move(action)); }

Duration World::draw_skew() {
    const std::int64_t most = scenario_.world.number("skew_ms", 0);
    return std::chrono::milliseconds(random_.between(-most, most));
}

ServerOptions World::server_options() {
    ServerOptions options;
    options.seed = seed_ * 1000 + static_cast<std::uint64_t>(boots_);
    options.queues = scenario_.world.number("queues", 0) != 0;
    options.sync_max = scenario_.world.span("sync", 2ms);
    options.store.history_events_max = static_cast<std::size_t>(scenario_.world.number("history", 200'000));
    options.sync_fails = [this] { return random_.chance(static_cast<std::uint64_t>(sync_error_permille), 1000); };
    options.on_sync_error = [this] {
        note("*", "a sync fails");
        at_boundary([this] { crash_server(500ms); });
    };
    options.on_durable = [this](const std::vector<DurableChange>& changes, store::Revision revision) {
        api.note_durable(revision);
        for (const auto& checker : checkers_) checker->on_journal(*this, changes, revision);
    };
    return options;
}

// A disk that has changed what was written is noticed, and refused.
void World::check_bit_flip(const ServerOptions& options) {
    if (!random_.chance(static_cast<std::uint64_t>(bit_flip_percent), 100)) return;
    const std::string before = disk.synced;
    if (disk.flip_bit(random_) == std::string::npos) return;
    note("*", "a bit of the disk is flipped");
    REACHED("a bit of the disk is flipped");
    if (Server::open(loop, disk, options).ok()) fail("durability", "the disk", "a flipped bit went unnoticed");
    disk.synced = before;
}

// A log that held acknowledged writes is gone or was cut: the server refuses to start and tells the way out, which the
// operator goes.
void World::lose_log(ServerOptions& options) {
    constexpr std::size_t kGroupsMax = 30;
    if (log_loss_percent == 0 || !random_.chance(static_cast<std::uint64_t>(log_loss_percent), 100)) return;
    const store::Revision acknowledged = disk.recorded ? disk.recorded->revision : 0;
    if (!disk.lose_frames(random_, first_disk().frames.size(), kGroupsMax)) return;
    note("*", "the end of the log is lost");
    const auto refused = Server::open(loop, disk, options);
    if (refused.ok()) {
        // A group that a crash left whole was never acknowledged.
        if ((*refused)->store().revision() < acknowledged) fail("durability", "the disk", "a lost log went unnoticed");
        return;
    }
    constexpr std::string_view kFlag = "--accept-loss-from ";
    const std::string& told = refused.error().message;
    const std::size_t flag = told.find(kFlag);
    if (flag == std::string::npos) return fail("durability", "the disk", "no way out is told: " + told);
    REACHED("a loss is accepted");
    options.accept_loss_from = std::stoull(told.substr(flag + kFlag.size())) + 1;
    if (Server::open(loop, disk, options).ok()) fail("durability", "the disk", "another loss than told was accepted");
    options.accept_loss_from = *options.accept_loss_from - 1;
    history.lose();
    for (const auto& checker : checkers_) checker->on_loss(*this);
    if (embedded_) return;
    // Controllers and agents remember the lost writes, so they are restarted, too.
    at_boundary([this] {
        restart_controllers(10ms);
        restart_agents(10ms);
    });
}

void World::restart_controllers(Duration back_after) {
    for (std::size_t i = 0; i < controllers_.size(); ++i) crash_instance(i, back_after);
    if (upstream_jobs_) upstream_jobs_ = std::make_unique<UpstreamJobs>(*this);
}

void World::restart_agents(Duration back_after) {
    for (std::size_t i = 0; i < machines_.size(); ++i) crash_agent(i, back_after);
}

void World::prepare_disk() {
    if (backup_.restores) {
        note("*", "the data is that of the backup");
        REACHED("the data is restored from a backup");
        const std::uint64_t hash = disk.hash;
        disk = backup_.disk;
        disk.hash = hash;
        history.go_back();
        return;
    }
    const std::int64_t jump = backup_.wanted ? kRevisionsSinceBackup : api.draw_jump();
    if (backup_.wanted) backup_.disk = disk;
    if (jump > 0) history.forget_after(disk.skip_revisions(jump));
}

void World::start_server() {
    if (server_) return;
    ++boots_;
    ServerOptions options = server_options();
    prepare_disk();
    check_bit_flip(options);
    lose_log(options);
    auto opened = Server::open(loop, disk, options);
    if (!opened.ok()) return fail("durability", "the server", "cannot be opened: " + format_error(opened.error()));
    server_ = std::move(*opened);
    inside_tasks_ = std::make_unique<os::TaskScope>(loop);
    api.begin_at(server_->store().revision());
    const std::string wrong = history.open(*server_);
    note("*", "the server is there, at revision " + std::to_string(server_->store().revision()));
    if (!wrong.empty()) fail("durability", "the store", wrong);
    if (std::exchange(backup_.restores, false))
        for (const auto& checker : checkers_) checker->on_restore(*this);
    for (const auto& checker : checkers_) checker->on_boot(*this);
    if (std::exchange(backup_.wanted, false)) {
        note("*", "a backup was taken");
        backup_.taken = true;
        backup_.revision = server_->store().revision();
        for (const auto& checker : checkers_) checker->on_backup(*this);
    }
    if (!embedded_) return;
    start_controllers();
    for (std::size_t i = 0; i < machines_.size(); ++i) start_agent(i);
}

void World::start_controllers() {
    for (std::size_t i = 0; i < controllers_.size(); ++i) start_instance(i);
}

void World::start_instance(std::size_t instance) {
    if (controllers_[instance]) return;
    const Duration skew = draw_skew();
    std::optional<Instance> one_of_many;
    if (controllers_.size() > 1) {
        const std::int64_t most = scenario_.world.number("drift_permille", 0);
        const auto drift = static_cast<int>(random_.between(-most, most));
        one_of_many = Instance{static_cast<int>(instance), lives_[instance]++, drift};
    }
    controllers_[instance] = std::make_unique<ControllersHost>(*this, skew, one_of_many);
}

void World::set_job_controllers(bool ours, bool upstream) {
    note("*", std::string("Job controllers: ") + (ours ? "ours" : "") + (upstream ? " upstream's" : ""));
    our_jobs_ = ours;
    for (const auto& host : controllers_)
        if (host) host->switch_job_controller();
    if (!upstream) return upstream_jobs_.reset();
    if (!upstream_jobs_) upstream_jobs_ = std::make_unique<UpstreamJobs>(*this);
}

void World::back_up(Duration back_after) {
    backup_.wanted = true;
    crash_server(back_after);
}

bool World::all_know_versions_since_backup() const {
    if (!backup_.taken) return false;
    for (const auto& [name, line] : network.lines())
        for (const auto& [kind, version] : line->versions)
            if (version < backup_.revision) return false;
    return true;
}

void World::restore(Duration back_after, bool agents_too) {
    if (!server_) return at_boundary([this, back_after, agents_too] { restore(back_after, agents_too); }, 16);
    backup_.restores = true;
    crash_server(back_after);
    // They are stopped before the data is another, so that nothing they have sent arrives after that.
    if (embedded_) return;
    restart_controllers(back_after + 10ms);
    if (agents_too) restart_agents(back_after + 10ms);
}

void World::start_agent(std::size_t machine) {
    if (!agents_[machine]) agents_[machine] = std::make_unique<NodeHost>(*this, *machines_[machine], draw_skew());
}

void World::stop_server() {
    history.close();
    inside_tasks_.reset();
    server_.reset();
}

void World::crash_server(Duration back_after) {
    if (!server_) return;
    ++crashes_;
    if (embedded_) {
        controllers_[0].reset();
        for (auto& agent : agents_) agent.reset();
    }
    stop_server();
    const bool whole = disk.lose_power(random_);
    note("*", whole ? "the server dies; its last writes are on disk" : "the server dies");
    later(back_after, [this] { start_server(); });
}

void World::crash_controllers(Duration back_after) {
    if (embedded_) return crash_server(back_after);
    crash_instance(controllers_.size() > 1 ? random_.below(controllers_.size()) : 0, back_after);
}

void World::crash_instance(std::size_t instance, Duration back_after) {
    if (!controllers_[instance] || restarting_controllers_[instance]) return;
    note("*", "the controllers die");
    ++crashes_;
    controllers_[instance].reset();
    if (controllers_.size() > 1) instance_leads(static_cast<int>(instance), false);
    restarting_controllers_[instance] = true;
    later(back_after, [this, instance] {
        restarting_controllers_[instance] = false;
        start_instance(instance);
    });
}

void World::stop_instance(std::size_t instance, Duration back_after) {
    if (!controllers_[instance] || restarting_controllers_[instance]) return;
    note("*", "instance " + std::to_string(instance) + " is told to stop");
    const int life = lives_[instance];
    controllers_[instance]->stop([this, instance, life, back_after] {
        REACHED("an instance gives its lease back");
        later(Duration(), [this, instance, life, back_after] {
            if (lives_[instance] == life) crash_instance(instance, back_after);
        });
    });
}

void World::crash_agent(std::size_t machine, Duration back_after) {
    if (embedded_) return crash_server(back_after);
    if (!agents_[machine] || restarting_agents_[machine]) return;
    note("*", machines_[machine]->name().str() + ": the agent dies");
    ++crashes_;
    agents_[machine].reset();
    restarting_agents_[machine] = true;
    later(back_after, [this, machine] {
        restarting_agents_[machine] = false;
        start_agent(machine);
    });
}

void World::reboot_machine(std::size_t machine, Duration back_after) {
    if (embedded_) {
        if (!server_) return;
        crash_server(back_after);
    } else {
        crash_agent(machine, back_after);
        if (agents_[machine]) return;
    }
    note("*", machines_[machine]->name().str() + ": the machine stops");
    REACHED("a machine stops with all that runs on it");
    machines_[machine]->reboot();
}

bool World::step_is_last(const std::function<bool()>& done) {
    ++steps_;
    history.look();
    for (std::size_t i = 0; i < boundaries_.size();) {
        if (boundaries_[i].at_step > steps_) {
            ++i;
            continue;
        }
        const auto action = std::move(boundaries_[i].action);
        boundaries_.erase(boundaries_.begin() + static_cast<std::ptrdiff_t>(i));
        action();
    }
    return failure_ || steps_ > kStepsMax || done();
}

bool World::run_until(const std::function<bool()>& done, Duration limit) {
    return loop.run_until([&] { return step_is_last(done); }, limit);
}

void World::heal() {
    healed_ = true;
    note("*", "healed");
    for (const auto& fault : faults_) fault->heal(*this);
    network.odds = NetworkOdds();
    for (const auto& [name, line] : network.lines()) line->cut_off = false;
    boundaries_.clear();
    sync_error_permille = 0;
    bit_flip_percent = 0;
    log_loss_percent = 0;
    for (const auto& checker : checkers_) checker->on_healed(*this);
}

bool World::is_settled() {
    for (const auto& workload : workloads_)
        if (!workload->why_not_over(*this).empty()) return false;
    return true;
}

std::string World::why_not_settled() {
    for (const auto& workload : workloads_)
        if (std::string why = workload->why_not_over(*this); !why.empty()) return why;
    return "nothing is left to run";
}

std::uint64_t World::hash() const {
    return store::mix64(run_hash_ ^ disk.hash ^ static_cast<std::uint64_t>(loop.uptime().count()) ^ steps_);
}

RunResult World::run() {
    start_server();
    if (!embedded_) {
        start_controllers();
        for (std::size_t i = 0; i < machines_.size(); ++i) start_agent(i);
    }
    for (const auto& workload : workloads_) workload->start(*this);
    for (const auto& fault : faults_) fault->start(*this);
    (void)run_until([] { return false; }, scenario_.world.span("safety", 30s));
    if (!failure_) {
        heal();
        // What is still under way arrives first: a request that comes late may undo what users let go of.
        (void)run_until([] { return false; }, kPacketsMax);
        for (const auto& workload : workloads_) workload->wind_down(*this);
        std::uint64_t looked_at = 0;
        const bool settled = run_until(
            [&] {
                if (history.changes() == looked_at && steps_ % 16 != 0) return false;
                looked_at = history.changes();
                return is_settled();
            },
            kLivenessMax);
        if (!failure_ && (!settled || steps_ > kStepsMax))
            fail("settles", "everything",
                 (settled ? "it does not settle in " + std::to_string(steps_) + " steps: "
                          : std::string("it does not settle in time: ")) +
                     why_not_settled());
    }
    if (!failure_) (void)run_until([] { return false; }, kQuiet);
    if (!failure_ && !is_settled()) fail("settles", "everything", "it does not stay settled: " + why_not_settled());
    if (!failure_)
        for (const auto& checker : checkers_) checker->at_rest(*this);

    RunResult result;
    result.failure = failure_;
    result.hash = hash();
    result.steps = steps_;
    result.virtual_time = loop.uptime();
    result.revisions = history.revision();
    result.crashes = crashes_;
    if (failure_ && trace.on()) result.story = trace.last_of(failure_->subject, kStoryLines);
    return result;
}

}  // namespace muster::sim
