// Nothing that a stored object says may end the server or keep it from starting. Odd objects of every kind are written
// straight into a store, behind the back of all validation; then the real binary starts on it, with all controllers, a
// scheduler and simulated nodes, and must serve, stay and end in order. FIRST_SEED=100 SEEDS=500 look for more, NODE
// for another kind of node.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "api/codec/encode.h"
#include "api/kinds/all.h"
#include "os/testing/virtual_loop.h"
#include "server/kind_object/kind_object.h"
#include "server/kind_object/views.h"
#include "store/rocksdb/rocksdb_journal.h"
#include "store/store.h"
#include "test/e2e/running_server.h"
#include "test/e2e/store/odd_filler.h"

namespace muster::e2e {
namespace odd_objects_test {

constexpr int kOfEachKind = 3;

std::string uid_of(std::string_view kind, std::uint64_t number) {
    return std::string(kind) + "-" + std::to_string(number);
}

// The controller of an object, which may be there or not.
api::meta::OwnerReference some_owner(Prng& random) {
    constexpr std::pair<const char*, const char*> kOwners[] = {
        {"Job", "batch/v1"}, {"CronJob", "batch/v1"}, {"Workload", "kueue.x-k8s.io/v1beta2"}, {"Pod", "v1"}};
    const auto& [kind, version] = kOwners[random.below(std::size(kOwners))];
    const std::uint64_t number = random.below(kOfEachKind + 1);
    api::meta::OwnerReference owner;
    owner.api_version = version;
    owner.kind = kind;
    owner.name = "odd-" + std::to_string(number);
    owner.uid = uid_of(kind, number);
    owner.controller = true;
    owner.block_owner_deletion = random.chance(1, 2);
    return owner;
}

// Where an object lies is what its key says; the rest of its metadata is odd like everything else.
void name_it(server::KindObject& object, OddFiller& filler, int number) {
    api::meta::ObjectMeta& metadata = object.metadata();
    Prng& random = filler.random();
    metadata.name = "odd-" + std::to_string(number);
    metadata.namespace_ = !object.kind().options.namespaced ? "" : random.chance(3, 4) ? "default" : "gone";
    if (random.chance(9, 10)) metadata.uid = uid_of(object.kind().kind, static_cast<std::uint64_t>(number));
    if (random.chance(1, 2)) metadata.owner_references.edit().push_back(some_owner(random));
    if (random.chance(2, 3)) metadata.deletion_timestamp.reset();
}

void write_odd_objects(const std::string& directory, std::uint64_t seed) {
    os::VirtualLoop loop;
    const auto journal =
        store::RocksdbJournal::open(loop, std::make_unique<os::VirtualWorker>(loop), directory, {}).value();
    server::KindCodec codec;
    const auto store = store::Store::open(loop, *journal, codec).value();
    OddFiller filler(seed);
    for (const api::KindInfo* kind : api::all_kinds()) {
        if (!kind->options.plural || !kind->type().find("metadata") || &server::stored_kind(*kind) != kind) continue;
        for (int i = 0; i < kOfEachKind; ++i) {
            const auto object = server::make_object(*kind);
            filler.fill(kind->type(), object->data());
            name_it(*object, filler, i);
            const std::string key = server::object_key(*kind, object->metadata().namespace_, object->metadata().name);
            (void)store->create(key, server::make_object(*kind, object->data())).value();
        }
    }
    CHECK(loop.run_until([&] { return store->durable_revision() == store->revision(); }));
    loop.run_for(2s);
}

class OddObjects : public testing::Test {
protected:
    void try_seed(std::uint64_t seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const std::string directory = fresh_directory("odd");
        write_odd_objects(directory, seed);
        const char* node = std::getenv("NODE");
        RunningServer server(directory, {"--controllers", "*", "--node", node ? node : "simulated=1"});
        ASSERT_NE(server.ready_line().find("ready"), std::string::npos) << "it did not start; kept: " << directory;
        const auto connection = server.connect();
        for (int round = 0; round < 4; ++round) {
            // First they are looked at, then changed, then removed under the controllers.
            ask_for_everything(*connection, "GET");
            if (round == 1) label_everything(*connection);
            if (round == 2) ask_for_everything(*connection, "DELETE");
            // Controllers have no other sign of having looked at everything than that time passes.
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
        ASSERT_EQ(server.stop(SIGTERM), 0) << "it did not end in order; kept: " << directory;
        std::filesystem::remove_all(directory);
    }
    // Of every kind. Some may be refused, none may go unanswered.
    static void ask_for_everything(cli::Connection& connection, const std::string& method) {
        for (const api::KindInfo* kind : api::all_kinds()) {
            if (!kind->options.plural || !kind->type().find("metadata")) continue;
            const std::string group = *kind->group ? "/apis/" + kind->api_version() : "/api/" + kind->api_version();
            const bool in_namespace = method == "DELETE" && kind->options.namespaced;
            for (const char* accept : {"application/json", "application/json;as=Table;g=meta.k8s.io;v=v1"}) {
                cli::Request request;
                request.method = method;
                request.target = group + (in_namespace ? "/namespaces/default/" : "/") + kind->options.plural;
                request.accept = accept;
                const auto answer = connection.send(request);
                ASSERT_TRUE(answer.ok()) << request.target << ": " << answer.error().message;
                EXPECT_LT(answer->status, 500) << request.target;
            }
        }
    }
    // Each object by itself: its stored form is checked against the new one. Most are refused for the rest of what they
    // say.
    static void label_everything(cli::Connection& connection) {
        for (const api::KindInfo* kind : api::all_kinds()) {
            if (!kind->options.plural || !kind->type().find("metadata")) continue;
            const std::string group = *kind->group ? "/apis/" + kind->api_version() : "/api/" + kind->api_version();
            for (int number = 0; number < kOfEachKind; ++number) {
                cli::Request request;
                request.method = "PATCH";
                request.target = group + (kind->options.namespaced ? "/namespaces/default/" : "/") +
                                 kind->options.plural + "/odd-" + std::to_string(number);
                request.content_type = "application/merge-patch+json";
                request.body = R"({"metadata":{"labels":{"seen":"true"}}})";
                const auto answer = connection.send(request);
                ASSERT_TRUE(answer.ok()) << request.target << ": " << answer.error().message;
                EXPECT_LT(answer->status, 500) << request.target;
            }
        }
    }
};

TEST_F(OddObjects, DoNotEndTheServer) {
    const char* first = std::getenv("FIRST_SEED");
    const char* count = std::getenv("SEEDS");
    const std::uint64_t from = first ? std::strtoull(first, nullptr, 10) : 1;
    const std::uint64_t seeds = count ? std::strtoull(count, nullptr, 10) : 4;
    for (std::uint64_t seed = from; seed < from + seeds && !HasFatalFailure(); ++seed) try_seed(seed);
}

}  // namespace odd_objects_test
}  // namespace muster::e2e
