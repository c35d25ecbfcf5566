#include "assembly/cluster/observing_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "os/testing/virtual_loop.h"

namespace muster {
namespace observing_client_test {

using api::batch::Job;
using api::core::ConfigMap;
using testing::ElementsAre;

// Every write that reaches it is an error of the test.
class NoWrites final : public client::Client {
public:
    using AnyObjectTask = os::Task<Result<client::AnyObject>>;
    AnyObjectTask get_any(const api::KindInfo&, client::ObjectName name, View) override {
        ConfigMap map;
        map.metadata.name = name.name;
        co_return client::AnyObject(std::make_shared<const ConfigMap>(map));
    }
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo&, std::string, View) override {
        co_return client::AnyListing();
    }
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo&, std::string, std::string,
                                                                  View) override {
        co_return written();
    }
    AnyObjectTask patch_any(const api::KindInfo&, client::ObjectName, client::MetadataPatch, View) override {
        co_return written();
    }
    os::Task<Result<void>> remove_any(const api::KindInfo&, client::ObjectName, client::Removal) override {
        co_return written();
    }
    AnyObjectTask create_any(const api::KindInfo&, client::AnyObject) override { co_return written(); }
    AnyObjectTask change_any(const api::KindInfo&, client::AnyObject, client::AnyObject, client::Part) override {
        co_return written();
    }
    os::Task<Result<void>> bind(client::ObjectName, Text, Text) override { co_return written(); }

private:
    static Error written() {
        ADD_FAILURE() << "something was written";
        return {Code::kInternal, "written"};
    }
};

struct ObservingClientTest : testing::Test {
    os::VirtualLoop loop;
    std::vector<std::string> told;
    ObservingClient client{std::make_unique<NoWrites>(), [this](std::string_view line) { told.emplace_back(line); }};
};

TEST_F(ObservingClientTest, EachWriteIsToldAndLooksDone) {
    ConfigMap draft;
    draft.metadata.namespace_ = "n";
    draft.metadata.name = "secret-values";
    draft.data.edit("password") = "hunter2";
    EXPECT_TRUE(loop.run(client.create<ConfigMap>(draft)).ok());
    EXPECT_TRUE(loop.run(client.remove<ConfigMap>({"n", "a"}, client::Removal(Text("u1")))).ok());
    client::MetadataPatch patch(Text("u1"));
    patch.remove_finalizers.emplace_back("f");
    EXPECT_TRUE(loop.run(client.patch_metadata<ConfigMap>({"n", "a"}, patch)).ok());
    Job before;
    before.metadata.namespace_ = "n";
    before.metadata.name = "j";
    Job after = before;
    after.status.active = 3;
    EXPECT_TRUE(loop.run(client.change_status<Job>(std::make_shared<const Job>(before), after)).ok());
    EXPECT_THAT(told,
                ElementsAre("would create ConfigMap n/secret-values", "would delete ConfigMap n/a with the UID u1",
                            testing::StartsWith("would change ConfigMap n/a in its metadata: {"),
                            "would change Job n/j in its status: {\"status\":{\"active\":3}}"));
}

TEST_F(ObservingClientTest, WhatIsAskedForAgainIsRefusedAndNotToldTwice) {
    EXPECT_TRUE(loop.run(client.remove<ConfigMap>({"n", "a"})).ok());
    EXPECT_EQ(loop.run(client.remove<ConfigMap>({"n", "a"})).error().code, Code::kUnavailable);
    EXPECT_EQ(told.size(), 1u);
}

}  // namespace observing_client_test
}  // namespace muster
