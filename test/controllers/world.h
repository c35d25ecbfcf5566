// A whole control plane in virtual time: a disk in memory, the store, the API's rules, the controllers, and stand-ins
// for node and user. The process can die at any moment, with or without what it was just writing, and boots again from
// its disk; the controllers can die alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "client/metrics.h"
#include "controllers/faulty_client.h"
#include "controllers/garbage/controller.h"
#include "controllers/job/controller.h"
#include "controllers/node.h"
#include "controllers/truth.h"
#include "controllers/ttl/controller.h"
#include "os/testing/virtual_loop.h"
#include "server/local_client.h"
#include "server/objects/objects.h"
#include "store/testing/memory_journal.h"

namespace muster::worlds {

using api::batch::Job;
using api::core::Pod;

struct WorldOptions {
    controllers::JobControllerOptions job{};
    NodeOptions node{};
    bool garbage = true;
    bool ttl = false;  // with the Job controller's client
    // Whether what goes wrong may hit the garbage collector, too.
    bool faults_in_garbage = false;
    Duration restart_takes = 200ms;
};

class World {
public:
    explicit World(WorldOptions with = {}, FaultPlan plan = {});
    ~World();

    // The process dies and boots again at once. The controllers start again when `restart_takes` has passed.
    void crash(bool keep_under_way);
    void stop_controllers();
    void start_controllers();
    void restart_controllers() {
        stop_controllers();
        start_controllers();
    }

    // Runs until it holds of the truth, which is looked at whenever that changes. False when it does not within the
    // limit, or nothing is left to run.
    bool run_until(const std::function<bool()>& holds, Duration limit = 2h);
    void run_for(Duration span);
    // Nothing has changed for so long.
    bool settle(Duration quiet = 2s);

    // What users do, in namespace "default". Durable when they return.
    Result<void> create_job(std::string_view yaml) { return create<Job>(yaml); }
    template <class K>
    Result<void> create(std::string_view yaml) {
        const K draft = api::from_yaml<K>(yaml).value();
        return write([&] {
            const server::Place place{api::kind_info<K>(), "default", draft.metadata.name};
            return objects_->create(place, std::make_shared<server::TypedObject<K>>(draft), {});
        });
    }
    template <class K>
    Result<void> change(std::string_view name, const std::function<void(K&)>& edit,
                        server::Part part = server::Part::kMain) {
        const server::Objects::Edit replace =
            [&](const server::KindObjectPtr& before) -> Result<std::shared_ptr<server::KindObject>> {
            K now = server::as<K>(*before);
            edit(now);
            return std::shared_ptr<server::KindObject>(std::make_shared<server::TypedObject<K>>(std::move(now)));
        };
        const server::Place place{api::kind_info<K>(), "default", name};
        return write([&] { return objects_->update(place, part, replace, server::SentUid::kPrecondition, {}); });
    }
    Result<void> change_job(std::string_view name, const std::function<void(Job&)>& edit) {
        return change<Job>(name, edit);
    }
    template <class K>
    Result<void> remove(std::string_view name, const char* propagation = nullptr) {
        api::meta::DeleteOptions asked;
        if (propagation) asked.propagation_policy = Text(propagation);
        return write([&] { return objects_->remove({api::kind_info<K>(), "default", name}, asked, {}); });
    }

    // The Job as it is on disk; it must be there.
    const Job& job(std::string_view name = "j") const;
    bool is_finished(std::string_view name = "j") const;
    // "Complete: CompletionsReached", "Failed: BackoffLimitExceeded", "Suspended", "".
    std::string end_of(std::string_view name = "j") const;
    // Of all kinds, in the order in which they were told.
    std::vector<std::string> event_reasons() const;

    WorldOptions options;
    os::VirtualLoop loop;
    Truth truth;
    FaultPlan faults;
    NodeMemory node_memory;
    client::Metrics metrics;

    client::Client& client() { return *user_client_; }
    server::Objects& objects() { return *objects_; }
    controllers::JobController& job_controller() { return *job_controller_; }
    int boots() const { return boots_; }

private:
    Result<void> write(const std::function<Result<server::Outcome>()>& action);
    void boot();
    void shut_down();
    void start_later();
    void die(FaultKind how);

    store::MemoryDisk disk_;
    server::KindCodec codec_;
    std::unique_ptr<os::VirtualWorker> worker_;
    std::unique_ptr<store::MemoryJournal> journal_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<server::Objects> objects_;
    std::unique_ptr<server::LocalClient> user_client_;
    std::unique_ptr<server::LocalClient> node_client_;
    std::unique_ptr<Node> node_;
    std::unique_ptr<server::LocalClient> garbage_client_;
    std::unique_ptr<server::LocalClient> job_client_;
    std::unique_ptr<FaultyClient> faulty_client_;
    std::unique_ptr<controllers::GarbageController> garbage_controller_;
    std::unique_ptr<controllers::JobController> job_controller_;
    std::unique_ptr<controllers::TtlController> ttl_controller_;
    os::TimerId start_timer_ = 0;
    int boots_ = 0;
};

}  // namespace muster::worlds
