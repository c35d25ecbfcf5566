// Namespaces that come, are filled with Jobs and pods, and are deleted in the middle of it; some come again under the
// same name, and some users go on making things in one that is going.
#include "api/codec/decode.h"
#include "api/kinds/core/namespace.h"
#include "sim/checkers/job_facts.h"
#include "sim/workloads/ended.h"
#include "sim/workloads/job_manifest.h"
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::core::Namespace;

class NamespacesUser final : public Workload {
public:
    NamespacesUser(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "namespaces-user");
        count_ = settings_.number("count", 2);
        for (std::int64_t i = 0; i < count_; ++i)
            world.user_tasks().spawn(keep(&world, "ns" + std::to_string(i), random_.split()));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World& world) const override {
        if (done_ < count_) return "users of namespaces are not done";
        for (const Namespace* each : world.history.all<Namespace>())
            if (each->metadata.deletion_timestamp) return each->metadata.name.str() + " is not gone";
        return why_not_ended(world);
    }

private:
    os::Task<void> keep(World* world, std::string name, Prng random) {
        const std::int64_t rounds = random.between(1, 3);
        for (std::int64_t round = 0; round < rounds && !winding_down_; ++round) {
            auto draft = api::from_yaml<Namespace>("metadata: {name: " + name + "}\n");
            (void)co_await user_->create<Namespace>(std::move(*draft));
            co_await fill(world, name, round * 10, &random);
            co_await os::sleep_for(world->loop, settings_.span_between("every", 100ms, 5s, random));
            if (winding_down_ || random.chance(1, 4)) continue;
            const Text uid = uid_of(*world, name);
            if (uid.empty()) continue;
            world->user_removes(uid);
            client::Removal removal(uid);
            const client::ObjectName at("", name);
            co_await user_->remove<Namespace>(at, std::move(removal));
            if (random.chance(1, 2)) co_await fill(world, name, round * 10 + 5, &random);
            while (uid_of(*world, name) == uid && !winding_down_) co_await os::sleep_for(world->loop, 200ms);
        }
        ++done_;
    }

    os::Task<void> fill(World* world, std::string name, std::int64_t first, Prng* random) {
        const std::int64_t count = random->between(1, 4);
        for (std::int64_t i = first; i < first + count && !winding_down_; ++i) {
            Job job = draw_job(name + "-j" + std::to_string(i), settings_, *random);
            job.metadata.namespace_ = name;
            if (random->chance(1, 2)) {
                (void)co_await user_->create<Job>(std::move(job));
            } else {
                Pod pod;
                pod.metadata.namespace_ = name;
                pod.metadata.name = name + "-p" + std::to_string(i);
                pod.metadata.annotations = job.spec.template_.metadata.annotations;
                pod.spec = job.spec.template_.spec;
                (void)co_await user_->create<Pod>(std::move(pod));
            }
            co_await os::sleep_for(world->loop, Duration(random->between(0, Duration(1s).count())));
        }
    }

    static Text uid_of(const World& world, const std::string& name) {
        for (const Namespace* each : world.history.all<Namespace>())
            if (each->metadata.name == name) return each->metadata.uid;
        return {};
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    std::int64_t count_ = 0;
    std::int64_t done_ = 0;
    bool winding_down_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_namespaces_user(const Settings& settings, Prng random) {
    return std::make_unique<NamespacesUser>(settings, random);
}

}  // namespace muster::sim
