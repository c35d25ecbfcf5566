#include "assembly/controller_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "os/testing/virtual_loop.h"

namespace muster {
namespace controller_set_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A server that is out of reach.
class Unreachable final : public client::Client {
public:
    Unreachable(int& there, std::set<std::string>& asked) : there_(there), asked_(asked) { ++there_; }
    ~Unreachable() override { --there_; }

    using AnyObjectTask = os::Task<Result<client::AnyObject>>;
    AnyObjectTask get_any(const api::KindInfo&, client::ObjectName, View) override { co_return gone(); }
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string, View) override {
        asked_.insert(kind.kind);
        co_return gone();
    }
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string, std::string,
                                                                  View) override {
        asked_.insert(kind.kind);
        co_return gone();
    }
    AnyObjectTask patch_any(const api::KindInfo&, client::ObjectName, client::MetadataPatch, View) override {
        co_return gone();
    }
    os::Task<Result<void>> remove_any(const api::KindInfo&, client::ObjectName, client::Removal) override {
        co_return gone();
    }
    AnyObjectTask create_any(const api::KindInfo&, client::AnyObject) override { co_return gone(); }
    AnyObjectTask change_any(const api::KindInfo&, client::AnyObject, client::AnyObject, client::Part) override {
        co_return gone();
    }
    os::Task<Result<void>> bind(client::ObjectName, Text, Text) override { co_return gone(); }

private:
    static Error gone() { return {Code::kUnavailable, "connection refused"}; }
    int& there_;
    std::set<std::string>& asked_;  // kinds that were listed or watched
};

struct ControllerSetTest : testing::Test {
    MakeClient make_client = [this](std::string_view user) {
        users.emplace_back(user);
        return std::make_unique<Unreachable>(clients, asked);
    };
    os::VirtualLoop loop;
    client::Metrics metrics;
    std::vector<std::string> users;
    std::set<std::string> asked;
    int clients = 0;
};

TEST_F(ControllerSetTest, StartsEveryNameThatIsParsedWithAClientOfItsOwn) {
    const std::set<std::string> all = parse_controllers("*").value();
    ControllerSet set(loop, metrics, make_client);
    set.start(all);
    EXPECT_EQ(users.size(), all.size());
    EXPECT_THAT(std::set<std::string>(users.begin(), users.end()), SizeIs(all.size()));
    EXPECT_EQ(clients, static_cast<int>(all.size())) << "each keeps its client";
    loop.run_for(1s);
}

TEST_F(ControllerSetTest, StartsOnlyWhatIsNamed) {
    ControllerSet set(loop, metrics, make_client);
    set.start(parse_controllers("ttl,job").value());
    EXPECT_THAT(users, ElementsAre("job-controller", "ttl-after-finished-controller"));
}

TEST_F(ControllerSetTest, StopsItsControllersAndDropsTheirClientsWhenItIsDestroyed) {
    {
        ControllerSet set(loop, metrics, make_client);
        set.start(parse_controllers("*").value());
        loop.run_for(1s);
    }
    EXPECT_EQ(clients, 0);
}

TEST_F(ControllerSetTest, StartsTheControllerOfThatNameWithItsOptions) {
    ControllerSetOptions few;
    few.owning_kinds = {&api::kind_info<api::core::ConfigMap>()};
    few.gates.pod_ttl_after_finished = false;
    ControllerSetOptions more;
    more.gates.pod_ttl_after_finished = true;
    const struct {
        const char* name;
        const ControllerSetOptions& options;
        std::set<std::string> kinds;
    } cases[] = {
        {"garbage", few, {"ConfigMap"}}, {"namespace", few, {"Namespace"}}, {"pod-gc", few, {"Node", "Pod"}},
        {"ttl", few, {"Job"}},           {"ttl", more, {"Job", "Pod"}},     {"pod-ttl", more, {"Pod"}},
    };
    for (const auto& each : cases) {
        asked.clear();
        ControllerSet set(loop, metrics, make_client, each.options);
        set.start({each.name});
        loop.run_for(1s);
        EXPECT_EQ(asked, each.kinds) << each.name;
    }
}

TEST_F(ControllerSetTest, TheTtlOfPodsIsServedByOneOfTwo) {
    const auto count_pods = [&](const std::string& controllers, bool ttl_of_pods) {
        asked.clear();
        ControllerSetOptions options;
        options.gates.pod_ttl_after_finished = true;
        options.ttl_of_pods = ttl_of_pods;
        ControllerSet set(loop, metrics, make_client, options);
        set.start(parse_controllers(controllers).value());
        loop.run_for(1s);
        return static_cast<int>(asked.count("Pod"));
    };
    EXPECT_EQ(count_pods("ttl", true), 1);
    EXPECT_EQ(count_pods("ttl", false), 0) << "beside a cluster it is for Jobs";
    EXPECT_EQ(count_pods("pod-ttl", false), 1);
}

TEST(ControllerSetOptions, HaveTheShippedLimitsAndKindsUnlessOthersAreGiven) {
    const ControllerSetOptions options;
    EXPECT_EQ(options.job_limits.create_delete_max, 1000u);
    EXPECT_EQ(options.job_limits.uncounted_max, 500u);
    EXPECT_FALSE(options.job_pace.counts_aside());
    EXPECT_TRUE(options.owning_kinds.empty()) << "all of the client's";
    EXPECT_TRUE(options.namespaced_kinds.empty());
}

TEST(ParseControllers, TakesNamesTheStarAndWhatIsLeftOut) {
    EXPECT_THAT(parse_controllers("*").value(),
                ElementsAre("cron-job", "garbage", "job", "namespace", "pod-gc", "pod-ttl", "queue", "resource-quota",
                            "scheduler", "service-account", "ttl"));
    EXPECT_THAT(parse_controllers("none").value(), IsEmpty());
    EXPECT_THAT(parse_controllers("").value(), IsEmpty());
    EXPECT_THAT(parse_controllers("ttl,job").value(), ElementsAre("job", "ttl"));
    EXPECT_THAT(parse_controllers("job,ttl,-job").value(), ElementsAre("ttl"));
    EXPECT_THAT(parse_controllers("*,-queue,-scheduler").value(), SizeIs(9));
}

TEST(ParseControllers, NamesTheControllersThereAreWhenItIsGivenAnother) {
    const std::set<std::string> all = parse_controllers("*").value();
    for (const char* text : {"jobs", "*,-jobs", "job ttl"}) {
        const auto parsed = parse_controllers(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().code, Code::kBadRequest);
        for (const std::string& name : all) EXPECT_THAT(parsed.error().message, HasSubstr(name));
    }
}

}  // namespace controller_set_test
}  // namespace muster
