// The whole of an embedded cluster on one loop: the store, the API server, the controllers, the scheduler and the node.
// `muster up` serves with one until it is told to stop, `muster run` makes one when there is none to use.
//     start: everything but the door  →  serve: HTTPS, and the kubeconfig that says where  →  close_door
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/configuration/kueue_configuration.h"
#include "api/feature_gates.h"
#include "assembly/controller_set.h"
#include "cli/up/up_options.h"
#include "client/metrics.h"
#include "client/mirror_source.h"
#include "main/node.h"
#include "main/pod_user.h"
#include "os/files/append_file.h"
#include "os/files/files.h"
#include "os/http/server/http_server.h"
#include "os/loop/real_loop.h"
#include "os/loop/task.h"
#include "os/loop/thread_worker.h"
#include "os/machine/time_zones.h"
#include "server/access/rbac/role_index.h"
#include "server/identity/identity_files.h"
#include "server/identity/stored_bound_objects.h"
#include "server/local_client.h"
#include "server/service/api_service.h"
#include "store/rocksdb/rocksdb_journal.h"

namespace muster {

class ControlPlane {
public:
    using OnProblem = std::function<void(std::string_view problem)>;

    // The loop must outlive it. Problems that it goes on with are told to `on_problem`, on any thread.
    ControlPlane(os::RealLoop& loop, cli::UpOptions options, OnProblem on_problem);
    ~ControlPlane();

    // Signals must be blocked before. kBadRequest for an option that says nothing sensible, kUnavailable when another
    // process has the data directory, else why it cannot be used. Nothing runs after a failure.
    Result<> start();
    // After start. Opens the door. `served` is called on the loop, once, when the server says that it is ready and the
    // kubeconfig is there, or with the reason why it cannot be written.
    using OnServed = std::function<void(const Result<>& served)>;
    Result<> serve(OnServed served);
    // Ends watches, gives requests a few seconds, then calls `done` on the loop. At once when the door is closed.
    void close_door(std::function<void()> done);

    os::RealLoop& loop() const { return loop_; }
    server::Objects& objects() const { return *objects_; }
    store::Store& store() const { return *store_; }
    // What is reached of pods; null when no node of this process runs them.
    client::PodAccess* pods() const { return nodes_ ? nodes_->access() : nullptr; }
    const std::string& address() const { return address_; }
    // The user that pods run as. Valid after start.
    const PodUserChoice& pod_user() const { return pod_user_; }
    const std::string& data_directory() const { return options_.data_directory; }

private:
    Result<> read_configuration();
    Result<> make_objects(bool with_accounts, bool with_queues, bool with_processes);
    void make_controllers();
    // The server as pods are told of it.
    node::ApiPoint api_point();
    Result<> make_service();
    Result<std::shared_ptr<const server::Authenticator>> make_authenticator();
    os::TlsServerSettings tls_settings() const;
    void make_admin();
    os::Task<void> let_admin_in(OnServed served);
    // Listens where the Service `kubernetes` is to be, if it can; gives where pods reach the server.
    os::Address open_api_address(const os::Address& own);
    void renew_later();
    os::Task<void> renew();

    os::RealLoop& loop_;
    const cli::UpOptions options_;
    const OnProblem on_problem_;
    os::LinuxFiles files_;
    os::TimeZones time_zones_;
    os::Address listen_;
    PodUserChoice pod_user_;
    api::FeatureGates gates_;
    api::kueue::QueueConfiguration queueing_;
    const std::shared_ptr<server::Kinds> kinds_ = std::make_shared<server::Kinds>();
    server::KindCodec codec_{kinds_};
    std::unique_ptr<os::Processes> helper_;  // looks after what the nodes need
    std::unique_ptr<store::RocksdbJournal> journal_;
    std::unique_ptr<store::Store> store_;
    server::Identity identity_;
    std::unique_ptr<server::RoleIndex> roles_;
    std::unique_ptr<server::StoredBoundObjects> bound_objects_;
    std::unique_ptr<server::Objects> objects_;
    os::TaskScope tasks_;
    client::Metrics metrics_;  // of all that runs in the process
    // What controllers and nodes know: they look at the same mirrors.
    std::unique_ptr<server::LocalClient> reader_;
    std::unique_ptr<client::SharedMirrors> mirrors_;
    std::unique_ptr<ControllerSet> controllers_;
    std::unique_ptr<NodeSet> nodes_;
    std::unique_ptr<server::TokenSigner> signer_;
    std::unique_ptr<os::AppendFile> audit_;
    std::shared_ptr<os::ByteBudget> budget_;  // of what is kept for clients
    std::unique_ptr<server::ApiService> service_;
    std::unique_ptr<os::HttpServer> http_;
    std::string address_;
    std::string api_host_;  // of the Service `kubernetes`
    os::TimerId renewal_ = 0;
    bool closing_ = false;
    // The administrator's certificate is made while the rest starts.
    os::Completion<Result<server::Identity>> admin_made_;
    std::atomic<bool> given_up_{false};
    std::unique_ptr<os::ThreadWorker> key_worker_;  // last: it ends before what it uses
};

}  // namespace muster
