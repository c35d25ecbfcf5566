// Clients outside the server that list and watch all the time. checkers/watches.cc judges that they get every event
// once, in order and without gaps.
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

class Watchers final : public Workload {
public:
    explicit Watchers(const Settings& settings) : settings_(settings) {}

    void start(World& world) override {
        for (std::int64_t i = 0; i < settings_.number("count", 1); ++i) {
            users_.push_back(std::make_unique<User>(world, "watcher-" + std::to_string(i)));
            const api::KindInfo* kind =
                i % 2 == 0 ? &api::kind_info<api::core::Pod>() : &api::kind_info<api::batch::Job>();
            world.user_tasks().spawn(follow(&world, users_.back().get(), kind, static_cast<int>(i)));
        }
    }
    void wind_down(World&) override {}
    std::string why_not_over(World&) const override { return {}; }

private:
    static const api::meta::ObjectMeta& metadata_of(const api::KindInfo& kind, const client::AnyObject& object) {
        const api::FieldInfo* field = kind.type().find("metadata");
        return *reinterpret_cast<const api::meta::ObjectMeta*>(static_cast<const char*>(object.get()) + field->offset);
    }
    static Seen seen(const api::KindInfo& kind, const client::AnyObject& object, bool removed) {
        const api::meta::ObjectMeta& metadata = metadata_of(kind, object);
        return {server::object_key(kind, metadata.namespace_, metadata.name),
                client::parse_version(metadata.resource_version), removed};
    }

    static os::Task<void> follow(World* world, User* user, const api::KindInfo* kind, int watcher) {
        for (;;) {
            auto listing = co_await user->client().list_any(*kind, "", client::Client::View::kObject);
            if (!listing.ok()) {
                co_await os::sleep_for(world->loop, 300ms);
                continue;
            }
            std::vector<Seen> objects;
            for (const client::AnyObject& object : listing->items) objects.push_back(seen(*kind, object, false));
            world->watcher_listed(watcher, *kind, objects, client::parse_version(listing->resource_version));
            std::string from = listing->resource_version;
            while (co_await watch(world, user, kind, watcher, &from)) {
            }
            co_await os::sleep_for(world->loop, 100ms);
        }
    }

    // Whether another watch can go on where this one ended.
    static os::Task<bool> watch(World* world, User* user, const api::KindInfo* kind, int watcher, std::string* from) {
        auto watch = co_await user->client().watch_any(*kind, "", *from, client::Client::View::kObject);
        while (watch.ok()) {
            const auto events = co_await (*watch)->next();
            if (!events.ok()) break;
            if (events->empty()) co_return true;
            for (const client::AnyEvent& event : *events) {
                const Seen one = seen(*kind, event.object, event.type == client::EventType::kDeleted);
                *from = std::to_string(one.revision);
                if (event.type != client::EventType::kBookmark) world->watcher_saw(watcher, one);
            }
        }
        co_return false;
    }

    const Settings settings_;
    std::vector<std::unique_ptr<User>> users_;
};

}  // namespace

std::unique_ptr<Workload> make_watchers(const Settings& settings, Prng) { return std::make_unique<Watchers>(settings); }

}  // namespace muster::sim
