#include "controllers/world.h"

#include "api/kinds/core/event.h"
#include "api/kinds/core/namespace.h"

namespace muster::worlds {
namespace {

constexpr Duration kDiskDelayMax = 2ms;

// What a server has on its disk after its first start, as far as these tests care.
const store::MemoryDisk& first_disk() {
    static const store::MemoryDisk disk = [] {
        store::MemoryDisk made;
        os::VirtualLoop loop;
        server::KindCodec codec;
        os::VirtualWorker worker(loop);
        store::MemoryJournal journal(loop, worker, made);
        const auto store = store::Store::open(loop, journal, codec).value();
        server::Objects objects(loop, *store, server::default_admission(), {}, 1);
        auto draft = std::make_shared<server::TypedObject<api::core::Namespace>>();
        draft->value.metadata.name = "default";
        const server::Place place{api::kind_info<api::core::Namespace>(), "", "default"};
        const auto created = objects.create(place, std::move(draft), {});
        CHECK(created.ok());
        CHECK(loop.run_until([&] { return store->durable_revision() == store->revision(); }));
        return made;
    }();
    return disk;
}

}  // namespace

World::World(WorldOptions with, FaultPlan plan)
    : options(std::move(with)), faults(std::move(plan)), disk_(first_disk()) {
    boot();
    start_controllers();
}

World::~World() { shut_down(); }

void World::boot() {
    ++boots_;
    worker_ = std::make_unique<os::VirtualWorker>(loop, boots_, Duration(), kDiskDelayMax);
    journal_ = std::make_unique<store::MemoryJournal>(loop, *worker_, disk_);
    store_ = store::Store::open(loop, *journal_, codec_).value();
    objects_ = std::make_unique<server::Objects>(loop, *store_, server::default_admission(), api::RuleContext{},
                                                 1000 + boots_);
    const auto client_for = [this](const char* user) {
        return std::make_unique<server::LocalClient>(*objects_, server::controller_user(user));
    };
    user_client_ = client_for("user");
    node_client_ = client_for("node");
    garbage_client_ = client_for("generic-garbage-collector");
    job_client_ = client_for("job-controller");
    faulty_client_ = std::make_unique<FaultyClient>(loop, *job_client_, faults, [this](FaultKind how) { die(how); });
    node_ = std::make_unique<Node>(loop, *node_client_, node_memory, options.node);
    node_->start();
    truth.open(*store_);
}

void World::shut_down() {
    stop_controllers();
    truth.close();
    node_.reset();
    faulty_client_.reset();
    job_client_.reset();
    garbage_client_.reset();
    node_client_.reset();
    user_client_.reset();
    objects_.reset();
    store_.reset();
    journal_.reset();
    worker_.reset();
}

void World::crash(bool keep_under_way) {
    worker_->abandon();
    shut_down();
    if (keep_under_way) disk_.sync();
    disk_.forget();
    boot();
    start_later();
}

void World::stop_controllers() {
    if (start_timer_ != 0) loop.cancel(start_timer_);
    start_timer_ = 0;
    ttl_controller_.reset();
    job_controller_.reset();
    garbage_controller_.reset();
}

void World::start_controllers() {
    job_controller_ = std::make_unique<controllers::JobController>(loop, *faulty_client_, metrics, options.job);
    job_controller_->start();
    if (options.ttl) {
        ttl_controller_ = std::make_unique<controllers::TtlController>(loop, *faulty_client_, metrics);
        ttl_controller_->start();
    }
    if (!options.garbage) return;
    controllers::GarbageOptions garbage;
    garbage.kinds = {&api::kind_info<Job>(), &api::kind_info<Pod>()};
    client::Client& garbage_client = options.faults_in_garbage ? static_cast<client::Client&>(*faulty_client_)
                                                               : static_cast<client::Client&>(*garbage_client_);
    garbage_controller_ =
        std::make_unique<controllers::GarbageController>(loop, garbage_client, metrics, std::move(garbage));
    garbage_controller_->start();
}

void World::start_later() {
    start_timer_ = loop.after(options.restart_takes, [this] {
        start_timer_ = 0;
        start_controllers();
    });
}

// Later, as those who die are in the middle of the call.
void World::die(FaultKind how) {
    loop.post([this, how] {
        if (how != FaultKind::kRestart) return crash(how == FaultKind::kCrashKeeping);
        stop_controllers();
        start_later();
    });
}

bool World::run_until(const std::function<bool()>& holds, Duration limit) {
    bool first = true;
    return loop.run_until([&] { return (truth.look() || std::exchange(first, false)) && holds(); }, limit);
}

void World::run_for(Duration span) {
    const Duration end = loop.uptime() + span;
    (void)run_until([] { return false; }, span);
    loop.run_for(end - loop.uptime());
    (void)truth.look();
}

bool World::settle(Duration quiet) {
    for (int rounds = 0; rounds < 100; ++rounds) {
        const store::Revision before = store_->revision();
        run_for(quiet);
        if (store_->revision() == before && !job_controller_) continue;
        if (store_->revision() == before) return true;
    }
    return false;
}

Result<void> World::write(const std::function<Result<server::Outcome>()>& action) {
    for (bool again = false;; again = true) {
        const int boot = boots_;
        const auto done = action();
        if (!done.ok()) {
            const Code code = done.error().code;
            const bool was_kept = again && (code == Code::kAlreadyExists || code == Code::kNotFound);
            return was_kept ? Result<void>() : done.error();
        }
        const store::Revision revision = done->revision;
        CHECK(loop.run_until([&] { return boots_ != boot || store_->durable_revision() >= revision; }));
        (void)truth.look();
        // A crash in between may have lost the write: try again.
        if (boots_ == boot) return {};
    }
}

const Job& World::job(std::string_view name) const {
    const Job* found = truth.job(name);
    CHECK(found, name);
    return *found;
}

bool World::is_finished(std::string_view name) const {
    const Job* found = truth.job(name);
    return found && (has_condition(*found, "Complete") || has_condition(*found, "Failed"));
}

std::string World::end_of(std::string_view name) const {
    const Job* found = truth.job(name);
    if (!found) return "gone";
    for (const char* type : {"Complete", "Failed"})
        if (has_condition(*found, type)) return std::string(type) + ": " + find_condition(*found, type)->reason.str();
    return has_condition(*found, "Suspended") ? "Suspended" : "";
}

std::vector<std::string> World::event_reasons() const {
    std::vector<std::pair<std::string, std::string>> found;
    const auto& kind = api::kind_info<api::core::Event>();
    const store::Listing listing = store_->list(server::list_prefix(kind, "")).value();
    for (const store::Stored& stored : listing.items) {
        const auto& event = static_cast<const server::TypedObject<api::core::Event>&>(*stored.object).value;
        found.emplace_back(event.metadata.name.str(), event.reason.str());
    }
    std::vector<std::string> reasons;
    for (auto& [name, reason] : found) reasons.push_back(std::move(reason));
    return reasons;
}

}  // namespace muster::worlds
