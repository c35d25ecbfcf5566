// What pods find of their peers and of the API, on a whole server in virtual time; the files are real.
#include "node/network/pod_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "node/keeper/keeper.h"
#include "server/local_client.h"
#include "server/testing/api_objects.h"

namespace muster::node {
namespace pod_network_test {

using api::core::Pod;
using api::core::Service;
using api::core::ServiceAccount;
using server::ApiObjects;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

class PodNetworkTest : public testing::Test {
protected:
    PodNetworkTest()
        : directory_(std::filesystem::temp_directory_path() / ("muster-pod-network-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(directory_);
        world_.create<ServiceAccount>("metadata: {name: default}");
        begin();
    }
    ~PodNetworkTest() override {
        network_.reset();
        std::filesystem::remove_all(directory_);
    }

    void begin() {
        network_.reset();
        pods_ = std::make_unique<client::Mirror<Pod>>(world_.loop, client_);
        ApiPoint api;
        api.server = [this] { return server_; };
        api.authority = "PEM";
        api.request_token =
            [this](const Text&, const Text& account,
                   api::authentication::TokenRequest request) -> Result<api::authentication::TokenRequest> {
            request.status.token = account.str() + "-token-" + std::to_string(++tokens_);
            request.status.expiration_timestamp =
                api::Time::from_unix_seconds(world_.loop.now().unix_seconds() + *request.spec.expiration_seconds);
            return request;
        };
        network_ = std::make_unique<PodNetwork>(
            world_.loop, client_, *pods_, [](const Pod& pod) { return pod.spec.node_name == "n1"; },
            directory_.string(), api);
        pods_->start();
        network_->start();
        settle();
    }
    void settle() { world_.loop.run_for(10ms); }
    void make_service(const std::string& more = "") {
        world_.create<Service>("metadata: {name: svc}\nspec: {clusterIP: None, selector: {app: a}" + more + "}");
        settle();
    }
    void make_pod(const std::string& name, const std::string& more = "") {
        world_.create<Pod>("metadata: {name: " + name + ", labels: {app: a}}\nspec: {nodeName: n1, hostname: " + name +
                           ", subdomain: svc, serviceAccountName: default" + more +
                           ", containers: [{name: c, image: x}]}");
        settle();
    }
    void set_ready(const std::string& name, const std::string& address) {
        CHECK(world_
                  .update<Pod>(
                      name,
                      [&](Pod& pod) {
                          pod.status =
                              api::from_yaml<api::core::PodStatus>("{phase: Running, podIP: " + address +
                                                                   ", conditions: [{type: Ready, status: \"True\"}]}")
                                  .value();
                      },
                      server::Part::kStatus)
                  .ok());
        settle();
    }
    void end(const std::string& name) {
        CHECK(world_
                  .update<Pod>(
                      name, [&](Pod& pod) { pod.status.phase = "Succeeded"; }, server::Part::kStatus)
                  .ok());
        settle();
    }
    NetworkOffer offer(const std::string& name, const std::string& address) {
        const auto pod = pods_->get(client::ObjectName("ns", name));
        return world_.loop.run(network_->offer(pod, address)).value();
    }
    static std::string read(const std::string& path) {
        std::stringstream out;
        out << std::ifstream(path).rdbuf();
        return out.str();
    }
    // The addresses under which a reader of the file finds the name.
    static std::vector<std::string> find(const std::string& path, const std::string& name) {
        std::vector<std::string> found;
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line.substr(0, line.find('#')));
            std::string address;
            words >> address;
            for (std::string word; words >> word;)
                if (word == name) found.push_back(address);
        }
        return found;
    }

    ApiObjects world_;
    server::LocalClient client_{world_.objects, server::User()};
    std::filesystem::path directory_;
    std::string server_ = "https://127.0.0.1:6443";
    int tokens_ = 0;
    std::unique_ptr<client::Mirror<Pod>> pods_;
    std::unique_ptr<PodNetwork> network_;
};

TEST_F(PodNetworkTest, PodsWithoutNamesShareAFileThatTellsOfNone) {
    for (const char* name : {"p", "q"})
        world_.create<Pod>("metadata: {name: " + std::string(name) +
                           "}\nspec: {nodeName: n1, containers: [{name: c, image: x}]}");
    settle();
    const NetworkOffer first = offer("p", "127.64.0.1");
    EXPECT_TRUE(first.hosts.plain);
    EXPECT_EQ(offer("q", "127.64.0.2").hosts.path, first.hosts.path);
    EXPECT_FALSE(find(first.hosts.path, "localhost").empty()) << "the machine's own names stay";
    EXPECT_THAT(find(first.hosts.path, "p"), IsEmpty());
}

TEST_F(PodNetworkTest, APodWithAHostNameFindsItselfWithoutAnyService) {
    world_.create<Pod>("metadata: {name: p}\nspec: {nodeName: n1, hostname: job-3, containers: [{name: c, image: x}]}");
    settle();
    const NetworkOffer own = offer("p", "127.64.0.1");
    EXPECT_FALSE(own.hosts.plain);
    EXPECT_THAT(find(own.hosts.path, "job-3"), ElementsAre("127.64.0.1"));
}

TEST_F(PodNetworkTest, PeersAreFoundAsTheyComeAndGo) {
    make_service();
    make_pod("j-0");
    make_pod("j-1");
    const std::string hosts = offer("j-0", "127.64.0.1").hosts.path;
    EXPECT_EQ(offer("j-1", "127.64.0.2").hosts.path, hosts) << "one file for the namespace";
    EXPECT_THAT(find(hosts, "j-0"), ElementsAre("127.64.0.1")) << "a pod knows itself at once";
    EXPECT_THAT(find(hosts, "j-1.svc"), IsEmpty()) << "it is not ready";
    set_ready("j-0", "127.64.0.1");
    set_ready("j-1", "127.64.0.2");
    for (const char* name : {"j-1.svc", "j-1.svc.ns", "j-1.svc.ns.svc", "j-1.svc.ns.svc.cluster.local"})
        EXPECT_THAT(find(hosts, name), Contains("127.64.0.2")) << name;
    EXPECT_THAT(find(hosts, "svc"), ElementsAre("127.64.0.1", "127.64.0.2"));
    end("j-1");
    EXPECT_THAT(find(hosts, "j-1.svc"), IsEmpty());
    EXPECT_THAT(find(hosts, "j-1"), IsEmpty());
    EXPECT_THAT(find(hosts, "svc.ns.svc"), ElementsAre("127.64.0.1"));
    EXPECT_FALSE(find(hosts, "localhost").empty()) << "the machine's own names stay";
    end("j-0");
    EXPECT_TRUE(std::filesystem::exists(hosts)) << "the next pod often comes soon";
    EXPECT_THAT(find(hosts, "svc"), IsEmpty());
    world_.loop.run_for(61s);
    make_pod("k", ", hostAliases: [{ip: 1.2.3.4, hostnames: [a]}]");
    (void)offer("k", "127.64.0.3");
    EXPECT_FALSE(std::filesystem::exists(hosts)) << "no pod has had it mounted for a minute";
}

TEST_F(PodNetworkTest, WhatIsPublishedWithoutBeingReadyIsThereBeforeTheProgramRuns) {
    make_service(", publishNotReadyAddresses: true");
    make_pod("j-0");
    EXPECT_THAT(find(offer("j-0", "127.64.0.1").hosts.path, "j-0.svc"), ElementsAre("127.64.0.1"));
}

TEST_F(PodNetworkTest, AServiceThatChangesChangesTheNames) {
    make_service();
    make_pod("j-0");
    const std::string hosts = offer("j-0", "127.64.0.1").hosts.path;
    set_ready("j-0", "127.64.0.1");
    EXPECT_THAT(find(hosts, "svc"), ElementsAre("127.64.0.1"));
    ASSERT_TRUE(world_.remove<Service>("svc").ok());
    settle();
    EXPECT_THAT(find(hosts, "svc"), IsEmpty());
    EXPECT_THAT(find(hosts, "j-0"), ElementsAre("127.64.0.1"));
}

TEST_F(PodNetworkTest, APodWithAliasesHasAFileOfItsOwn) {
    make_service();
    make_pod("j-0");
    make_pod("j-1", ", hostAliases: [{ip: 10.1.2.3, hostnames: [db, db.example]}]");
    const std::string shared = offer("j-0", "127.64.0.1").hosts.path;
    const std::string own = offer("j-1", "127.64.0.2").hosts.path;
    EXPECT_NE(own, shared);
    EXPECT_THAT(find(own, "db.example"), ElementsAre("10.1.2.3"));
    EXPECT_THAT(find(shared, "db"), IsEmpty());
    set_ready("j-0", "127.64.0.1");
    EXPECT_THAT(find(own, "j-0.svc"), ElementsAre("127.64.0.1"));
    EXPECT_THAT(find(own, "j-1"), ElementsAre("127.64.0.2"));
}

TEST_F(PodNetworkTest, OfTwoPodsWithOneHostNameEachKnowsItself) {
    make_service();
    make_pod("j-0");
    world_.create<Pod>(
        "metadata: {name: other}\nspec: {nodeName: n1, hostname: j-0, containers: [{name: c, image: x}]}");
    settle();
    const std::string first = offer("j-0", "127.64.0.1").hosts.path;
    const std::string second = offer("other", "127.64.0.2").hosts.path;
    EXPECT_THAT(find(first, "j-0"), ElementsAre("127.64.0.1"));
    EXPECT_THAT(find(second, "j-0"), ElementsAre("127.64.0.2"));
}

TEST_F(PodNetworkTest, TheNextProcessGoesOnWithTheFilesThatPodsHaveMounted) {
    make_service();
    make_pod("j-0");
    make_pod("j-1");
    const std::string hosts = offer("j-0", "127.64.0.1").hosts.path;
    std::ifstream mounted(hosts);  // as a pod that runs sees it: this file, whatever stands under its name
    set_ready("j-0", "127.64.0.1");
    set_ready("j-1", "127.64.0.2");
    begin();
    end("j-1");
    EXPECT_THAT(find(hosts, "svc"), ElementsAre("127.64.0.1"));
    std::stringstream seen;
    seen << mounted.rdbuf();
    EXPECT_EQ(seen.str(), read(hosts));
}

TEST_F(PodNetworkTest, TenThousandPodsDoNotTakeTheSquareOfIt) {
    make_service();
    make_pod("j-0");
    const std::string hosts = offer("j-0", "127.64.0.1").hosts.path;
    for (int i = 1; i < 10000; ++i) {
        const std::string name = "j-" + std::to_string(i);
        world_.create<Pod>("metadata: {name: " + name +
                           ", labels: {app: a}}\nspec: {nodeName: n1, containers: [{name: c, image: x}]}");
        const std::string address = "127.65." + std::to_string(i / 256) + '.' + std::to_string(i % 256);
        CHECK(world_
                  .update<Pod>(
                      name,
                      [&](Pod& pod) {
                          pod.status =
                              api::from_yaml<api::core::PodStatus>("{phase: Running, podIP: " + address +
                                                                   ", conditions: [{type: Ready, status: \"True\"}]}")
                                  .value();
                      },
                      server::Part::kStatus)
                  .ok());
        if (i % 10 == 0) world_.loop.run_for(1ms);
    }
    settle();
    EXPECT_EQ(find(hosts, "svc").size(), 9999u);
}

TEST_F(PodNetworkTest, AKubeconfigLeadsToTheServerWithATokenThatIsRenewed) {
    make_pod("p");
    const NetworkOffer first = offer("p", "127.64.0.1");
    const std::string path = first.kubeconfig;
    EXPECT_THAT(read(path), HasSubstr("server: https://127.0.0.1:6443"));
    EXPECT_THAT(read(path), HasSubstr("namespace: ns"));
    const std::string token = path.substr(0, path.rfind('/')) + "/token";
    EXPECT_THAT(read(path), HasSubstr("tokenFile: " + token));
    EXPECT_EQ(read(token), "default-token-1");
    EXPECT_EQ(std::filesystem::status(token).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    world_.loop.run_for(47min);
    EXPECT_EQ(read(token), "default-token-1");
    world_.loop.run_for(2min);
    EXPECT_EQ(read(token), "default-token-2") << "four fifths of an hour have passed";
}

TEST_F(PodNetworkTest, ATokenGoesWithItsAccount) {
    make_pod("p");
    const std::string path = offer("p", "127.64.0.1").kubeconfig;
    ASSERT_TRUE(world_.remove<ServiceAccount>("default").ok());
    settle();
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(offer("p", "127.64.0.1").kubeconfig, "");
    world_.create<ServiceAccount>("metadata: {name: default}");
    settle();
    EXPECT_NE(offer("p", "127.64.0.1").kubeconfig, "");
}

TEST_F(PodNetworkTest, TheNextProcessRenewsWhatPodsUse) {
    make_pod("p");
    const std::string path = offer("p", "127.64.0.1").kubeconfig;
    server_ = "https://127.0.0.1:7000";
    begin();
    EXPECT_THAT(read(path), HasSubstr("server: https://127.0.0.1:7000"));
}

TEST_F(PodNetworkTest, WhoHasNoKubeconfig) {
    make_pod("silent", ", automountServiceAccountToken: false");
    EXPECT_EQ(offer("silent", "127.64.0.1").kubeconfig, "");
    make_pod("mounted", ", volumes: [{name: kube-api-access-token}]");
    EXPECT_EQ(offer("mounted", "127.64.0.2").kubeconfig, "");
    server_.clear();
    begin();
    make_pod("early");
    EXPECT_EQ(offer("early", "127.64.0.3").kubeconfig, "");
}

TEST_F(PodNetworkTest, VariablesOfServicesAreTheLatest) {
    make_pod("p");
    EXPECT_THAT(*offer("p", "127.64.0.1").services, Not(Contains(Key("DB_SERVICE_HOST"))));
    world_.create<Service>("metadata: {name: db}\nspec: {clusterIP: 127.9.0.1, ports: [{port: 5432}]}");
    settle();
    EXPECT_THAT(*offer("p", "127.64.0.1").services, Contains(Pair("DB_SERVICE_HOST", "127.9.0.1")));
}

}  // namespace pod_network_test
}  // namespace muster::node
