// Plain pods, made and deleted by users: every restart policy, some with a time to live, some that do not mind being
// asked to end.
#include "api/codec/decode.h"
#include "sim/workloads/ended.h"
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::core::Pod;

class Pods final : public Workload {
public:
    Pods(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "pods-user");
        world.user_tasks().spawn(run(&world));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World& world) const override {
        return over_ ? why_not_ended(world) : "the user of pods is not done";
    }

private:
    Pod draw_pod(const std::string& name) {
        static constexpr const char* kPolicies[] = {"Never", "Never", "OnFailure"};
        std::string annotations = std::string(kRunAnnotation) + ": \"span=50ms.." +
                                  std::to_string(random_.between(200, 4000)) + "ms fail=25 stubborn=20 codes=1|2|137\"";
        if (random_.chance(1, 4))
            annotations += ", muster.dev/ttl-seconds-after-finished: \"" + std::to_string(random_.between(0, 10)) + '"';
        const std::string text = "metadata: {name: " + name + ", namespace: default, annotations: {" + annotations +
                                 "}}\nspec: {restartPolicy: " + kPolicies[random_.below(std::size(kPolicies))] +
                                 ", terminationGracePeriodSeconds: " + std::to_string(random_.between(0, 3)) +
                                 ", containers: [{name: c, image: i, resources: {requests: {cpu: " +
                                 std::to_string(random_.between(50, 900)) + "m}}}]}\n";
        return api::from_yaml<Pod>(text).value();
    }

    os::Task<void> run(World* world) {
        for (std::int64_t i = 0; i < settings_.number("count", 5) && !winding_down_; ++i) {
            const std::string name = "p" + std::to_string(random_.below(4));
            Pod draft = draw_pod(name);
            (void)co_await user_->create<Pod>(std::move(draft));
            co_await os::sleep_for(world->loop, settings_.span_between("every", 100ms, 3s, random_));
            if (!random_.chance(1, 2)) continue;
            world->user_removes(name);
            client::Removal removal{Text()};  // and then without: GCC 12 warns of an empty one that is moved
            removal.uid.reset();
            if (random_.chance(1, 3)) removal.grace_seconds = random_.between(0, 2);
            const client::ObjectName at("default", name);
            co_await user_->remove<Pod>(at, std::move(removal));
        }
        over_ = true;
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    bool winding_down_ = false;
    bool over_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_pods(const Settings& settings, Prng random) {
    return std::make_unique<Pods>(settings, random);
}

}  // namespace muster::sim
