// The Job controller's shell where the world moves between what it has seen and what it does; what it decides is tested
// beside each decision, and whole lives of Jobs in test/controllers.
#include "controllers/job/controller.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace {

using api::batch::Job;
using api::core::Pod;
using client::AnyObject;

// The two calls that only clients themselves may make.
struct OpenedTestClient : client::Client {
    static constexpr auto create() { return &OpenedTestClient::create_any; }
    static constexpr auto update() { return &OpenedTestClient::update_any; }
};

// Something happens in the world just before a pod is removed.
class OvertakenClient final : public client::Client {
public:
    explicit OvertakenClient(FakeWorld& inner) : inner_(inner) {}

    std::function<void(const client::ObjectName& pod)> before_removal = [](const client::ObjectName&) {};

    os::Task<Result<AnyObject>> get_any(const api::KindInfo& kind, client::ObjectName name, View view) override {
        return inner_.get_any(kind, std::move(name), view);
    }
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override {
        return inner_.list_any(kind, std::move(namespace_), view);
    }
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string version, View view) override {
        return inner_.watch_any(kind, std::move(namespace_), std::move(version), view);
    }
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo& kind, client::ObjectName name,
                                          client::MetadataPatch patch, View view) override {
        return inner_.patch_any(kind, std::move(name), std::move(patch), view);
    }
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override {
        if (&kind == &api::kind_info<Pod>()) before_removal(name);
        return inner_.remove_any(kind, std::move(name), std::move(removal));
    }

protected:
    os::Task<Result<void>> bind_any(client::ObjectName pod, Text uid, Text node) override {
        return inner_.bind(std::move(pod), std::move(uid), std::move(node));
    }
    os::Task<Result<AnyObject>> create_any(const api::KindInfo& kind, AnyObject draft) override {
        return (static_cast<Client&>(inner_).*OpenedTestClient::create())(kind, std::move(draft));
    }
    os::Task<Result<AnyObject>> update_any(const api::KindInfo& kind, AnyObject draft, client::Part part) override {
        return (static_cast<Client&>(inner_).*OpenedTestClient::update())(kind, std::move(draft), part);
    }

private:
    FakeWorld& inner_;
};

class JobControllerTest : public ::testing::Test {
protected:
    void start(const char* job) {
        world.put<Job>(job);
        controller.start();
        loop.run_for(1s);
    }
    void set_phase(const client::ObjectName& name, const char* phase) {
        const auto seen = world.find<Pod>(name.namespace_, name.name);
        ASSERT_TRUE(seen);
        Pod pod = *seen;
        pod.status.phase = phase;
        world.put(std::move(pod));
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    OvertakenClient client{world};
    client::Metrics metrics;
    JobController controller{loop, client, metrics};
};

TEST_F(JobControllerTest, APodThatSucceedsJustBeforeItsJobsEndTakesItIsCounted) {
    start(R"({"metadata": {"name": "j", "namespace": "n", "uid": "ju"}, "spec": {"parallelism": 2, "completions": 3,
              "backoffLimit": 0, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "ju"}},
              "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "ju"}},
                           "spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}}})");
    const auto pods = world.all<Pod>();
    ASSERT_EQ(pods.size(), 2u);
    const client::ObjectName fails = client::name_of(*pods[0]);
    const client::ObjectName succeeds = client::name_of(*pods[1]);
    for (const auto& pod : pods) set_phase(client::name_of(*pod), "Running");
    loop.run_for(1s);

    bool ended = false;
    client.before_removal = [&](const client::ObjectName& pod) {
        if (pod == succeeds && !std::exchange(ended, true)) set_phase(pod, "Succeeded");
    };
    set_phase(fails, "Failed");
    loop.run_for(1min);
    ASSERT_TRUE(ended) << "the Job's end takes the pod that runs";
    const auto job = world.find<Job>("n", "j");
    EXPECT_EQ(job->status.failed, 1);
    EXPECT_EQ(job->status.succeeded, 1) << "what it did is not lost";
    EXPECT_TRUE(controller.idle());
}

}  // namespace
}  // namespace muster::controllers
