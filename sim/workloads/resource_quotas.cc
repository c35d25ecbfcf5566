// Users who make, change and delete ResourceQuotas in the middle of the work of others, and who fill them up with pods
// and ConfigMaps. At the end every quota is wide enough for all work to come to its end.
#include "api/codec/decode.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/quota.h"
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::core::ConfigMap;
using api::core::Pod;
using api::core::ResourceQuota;

constexpr const char* kSpace = "default";

class ResourceQuotas final : public Workload {
public:
    ResourceQuotas(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "quota-user");
        world.user_tasks().spawn(limit(&world, random_.split()));
        world.user_tasks().spawn(fill(&world, random_.split(), "a"));
        world.user_tasks().spawn(fill(&world, random_.split(), "b"));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World&) const override { return done_ < 3 ? "users of quotas are not done" : ""; }

private:
    static constexpr int kQuotas = 2;

    static client::ObjectName quota_name(int number) { return {kSpace, "quota" + std::to_string(number)}; }

    ResourceQuota draw_quota(int number, Prng& random) {
        const auto amount = [&](std::int64_t most) { return std::to_string(random.between(0, most)); };
        std::string hard = "pods: " + amount(4);
        if (random.chance(1, 2)) hard += ", requests.cpu: " + amount(2500) + "m";
        if (random.chance(1, 2)) hard += ", count/pods: " + amount(8);
        if (random.chance(1, 2)) hard += ", configmaps: " + amount(3) + ", count/jobs.batch: " + amount(4);
        return api::from_yaml<ResourceQuota>("{metadata: {name: quota" + std::to_string(number) +
                                             ", namespace: default}, spec: {hard: {" + hard + "}}}")
            .value();
    }

    os::Task<void> limit(World* world, Prng random) {
        while (!winding_down_) {
            const int number = static_cast<int>(random.below(kQuotas));
            const ResourceQuota drawn = draw_quota(number, random);
            if (random.chance(1, 5)) {
                client::Removal removal{Text()};  // and then without: GCC 12 warns of an empty one that is moved
                removal.uid.reset();
                co_await user_->remove<ResourceQuota>(quota_name(number), std::move(removal));
            } else {
                (void)co_await user_->create<ResourceQuota>(drawn);
                const std::function<bool(ResourceQuota&)> edit = [&](ResourceQuota& now) {
                    now.spec.hard = drawn.spec.hard;
                    return true;
                };
                (void)co_await user_->change<ResourceQuota>(quota_name(number), edit);
            }
            co_await os::sleep_for(world->loop, settings_.span_between("every", 500ms, 8s, random));
        }
        for (int number = 0; number < kQuotas; ++number) {
            const std::function<bool(ResourceQuota&)> widen = [](ResourceQuota& now) {
                for (const char* name : {"pods", "count/pods", "count/jobs.batch"})
                    if (now.spec.hard.contains(name)) now.spec.hard.set(name, api::Quantity::from_int(100'000));
                if (now.spec.hard.contains("requests.cpu"))
                    now.spec.hard.set("requests.cpu", api::Quantity::from_int(100'000));
                return true;
            };
            (void)co_await user_->change<ResourceQuota>(quota_name(number), widen);
        }
        ++done_;
    }

    // Two at once, so that both reach for what is left.
    os::Task<void> fill(World* world, Prng random, std::string who) {
        while (!winding_down_) {
            const std::string name = who + std::to_string(random.below(3));
            const client::ObjectName at(kSpace, name);
            if (random.chance(1, 3)) {
                client::Removal removal{Text()};
                removal.uid.reset();
                co_await user_->remove<ConfigMap>(at, std::move(removal));
            } else if (random.chance(1, 2)) {
                ConfigMap map;
                map.metadata.name = name;
                map.metadata.namespace_ = kSpace;
                (void)co_await user_->create<ConfigMap>(std::move(map));
            } else {
                Pod pod = draw_small_pod(who + "-p" + std::to_string(random.below(6)), random);
                (void)co_await user_->create<Pod>(std::move(pod));
            }
            co_await os::sleep_for(world->loop, settings_.span_between("every", 50ms, 1s, random));
        }
        ++done_;
    }

    static Pod draw_small_pod(const std::string& name, Prng& random) {
        return api::from_yaml<Pod>("{metadata: {name: " + name + ", namespace: default, annotations: {" +
                                   std::string(kRunAnnotation) +
                                   ": \"span=50ms..2000ms fail=25\", muster.dev/ttl-seconds-after-finished: '1'}}, "
                                   "spec: "
                                   "{restartPolicy: Never, containers: [{name: c, image: i, resources: {requests: "
                                   "{cpu: " +
                                   std::to_string(random.between(50, 900)) + "m}}}]}}")
            .value();
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    int done_ = 0;
    bool winding_down_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_resource_quotas_user(const Settings& settings, Prng random) {
    return std::make_unique<ResourceQuotas>(settings, random);
}

}  // namespace muster::sim
