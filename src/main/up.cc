#include "main/up.h"

#include <algorithm>
#include <iostream>

#include "main/controllers.h"
#include "main/node.h"
#include "os/append_file.h"
#include "os/entropy.h"
#include "os/files.h"
#include "os/http_server.h"
#include "os/machine.h"
#include "os/memory.h"
#include "os/real_loop.h"
#include "os/signals.h"
#include "os/thread_worker.h"
#include "os/time_zones.h"
#include "server/access/aggregation.h"
#include "server/access/escalation_admission.h"
#include "server/access/role_index.h"
#include "server/api_service.h"
#include "server/bootstrap.h"
#include "server/event_expiry.h"
#include "server/identity/identity_files.h"
#include "server/identity/stored_bound_objects.h"
#include "server/objects/gate_admission.h"
#include "store/rocksdb_journal.h"

namespace muster {
namespace {

constexpr const char* kAnyAddress = "0.0.0.0";

server::ServingNames serving_names(const os::Address& listen) {
    server::ServingNames names;
    if (std::string host = os::host_name(); !host.empty()) names.host_names.push_back(std::move(host));
    if (listen.host != kAnyAddress && listen.host != "::") names.ips.push_back(listen.host);
    return names;
}

// The address that clients on this machine use.
std::string client_address(os::Address address) {
    if (address.host == kAnyAddress) address.host = "127.0.0.1";
    if (address.host == "::") address.host = "::1";
    return os::format_address(address);
}

class Up {
public:
    Up(const cli::UpOptions& options, cli::Terminal terminal) : options_(options), terminal_(terminal) {}

    Result<> start() {
        // Before any thread is there: they inherit that these are blocked.
        signals_ = std::make_unique<os::Signals>(loop_, os::end_signals(), [this](int) { stop(); });
        TRY_ASSIGN(gates_, api::parse_feature_gates(options_.feature_gates));
        TRY_ASSIGN(const std::set<std::string> controllers, parse_controllers(options_.controllers));
        TRY_ASSIGN(const NodeChoice node, parse_node(options_.node));
        TRY_ASSIGN(listen_, os::parse_address(options_.listen));
        TRY(files_.create_directories(options_.data_directory, os::Access::kOnlyUs));
        TRY_ASSIGN(journal_, store::RocksdbJournal::open(loop_, std::make_unique<os::ThreadWorker>("journal"),
                                                         options_.data_directory));
        TRY_ASSIGN(store_, store::Store::open(loop_, *journal_, codec_));
        TRY_ASSIGN(identity_,
                   server::keep_identity(files_, options_.data_directory, serving_names(listen_), loop_.now()));
        TRY(make_server());
        TRY(server::ensure_first_objects(*objects_, os::draw_seed()));
        os::spawn(loop_, server::keep_roles_aggregated(*store_));
        os::spawn(loop_, server::expire_events(*objects_));
        controllers_->start(controllers);
        nodes_ = start_nodes(node, loop_, *objects_, controllers_->metrics(), options_.data_directory);
        return serve();
    }

    void run() {
        loop_.run();
        if (http_) http_.reset();
    }

private:
    Result<> make_server() {
        roles_ = std::make_unique<server::RoleIndex>(*store_);
        bound_objects_ = std::make_unique<server::StoredBoundObjects>(*store_);
        server::AdmissionChain chain = server::default_admission();
        chain.mutating.push_back(server::drop_disabled_fields(gates_));
        chain.validating.push_back(server::check_escalation(*roles_));
        api::RuleContext rules;
        rules.knows_time_zone = [this](std::string_view zone) { return time_zones_.knows(zone); };
        objects_ = std::make_unique<server::Objects>(loop_, *store_, std::move(chain), rules, os::draw_seed());
        controllers_ = std::make_unique<ControllerSet>(loop_, *objects_, time_zones_, gates_);
        TRY_ASSIGN(auto signer, server::TokenSigner::from_pem(identity_.signing_keys));
        signer_ = std::make_unique<server::TokenSigner>(std::move(signer));
        TRY_ASSIGN(auto authenticator, make_authenticator());
        server::ApiServiceOptions service_options;
        service_options.seed = os::draw_seed();
        service_options.more_metrics = [this] { return controllers_->metrics().format(); };
        if (!options_.audit_log.empty()) {
            TRY_ASSIGN(audit_, os::AppendFile::open(options_.audit_log));
            service_options.audit = [this](std::string line) { audit_->write(std::move(line)); };
        }
        server::Services services{*objects_, *roles_, *bound_objects_, std::move(authenticator), *signer_};
        services.open_log = [this](const api::core::Pod& pod,
                                   const api::core::PodLogOptions& asked) -> Result<std::function<std::string()>> {
            const server::OpenLog open = nodes_ ? nodes_->open_log(loop_) : server::OpenLog();
            if (open) return open(pod, asked);
            return Error{Code::kUnavailable, "node \"" + pod.spec.node_name.str() + "\" keeps no logs"};
        };
        service_ = std::make_unique<server::ApiService>(loop_, std::move(services), std::move(service_options));
        return {};
    }

    Result<std::shared_ptr<const server::Authenticator>> make_authenticator() {
        std::shared_ptr<const server::StaticTokens> tokens;
        if (!options_.token_file.empty()) {
            TRY_ASSIGN(const std::string text, files_.read(options_.token_file, 1u << 20));
            TRY_ASSIGN(auto parsed, server::StaticTokens::parse(text));
            tokens = std::make_shared<const server::StaticTokens>(std::move(parsed));
        }
        const server::TokenIssuerOptions issuer;
        TRY_ASSIGN(auto keys, server::TokenKeys::from_pem(identity_.signing_keys));
        auto verifier = std::make_shared<const server::TokenVerifier>(
            std::move(keys), std::vector<std::string>{issuer.issuer}, issuer.audiences);
        return std::make_shared<const server::Authenticator>(std::move(tokens), std::move(verifier));
    }

    os::TlsServerSettings tls_settings() const {
        return {{identity_.serving.certificate, identity_.serving.key}, identity_.authority.certificate};
    }

    Result<> serve() {
        os::raise_descriptor_limit();
        os::HttpServerOptions http;
        http.listen = listen_;
        http.carrying_threads = std::max(1, os::processor_count() / 2);
        http.tls = tls_settings();
        http.on_problem = [](std::string_view problem) { std::cerr << "muster: " << problem << '\n'; };
        TRY_ASSIGN(http_, os::start_http_server(http, *service_));
        address_ = client_address(http_->address());
        TRY(server::write_kubeconfig(
            files_, options_.data_directory + "/kubeconfig",
            server::format_kubeconfig("https://" + address_, identity_.authority.certificate, identity_.admin)));
        renew_later();
        store_->when_durable(store_->revision(), [this] {
            service_->set_ready(true);
            terminal_.out << "muster is ready: https://" << address_ << "  kubeconfig " << options_.data_directory
                          << "/kubeconfig" << std::endl;
            os::release_program_pages();
        });
        return {};
    }

    // Certificates are renewed while serving; connections that stand keep theirs.
    void renew_later() {
        const Duration wait = std::clamp<Duration>(identity_.renew_at - loop_.now(), 1s, 24h);
        loop_.after(wait, [this] {
            auto renewed = server::keep_identity(files_, options_.data_directory, serving_names(listen_), loop_.now());
            if (renewed.ok() && !(*renewed == identity_)) {
                identity_ = std::move(*renewed);
                if (const auto replaced = http_->replace_tls(tls_settings()); !replaced.ok())
                    terminal_.err << "muster: " << format_error(replaced.error()) << '\n';
            } else if (!renewed.ok()) {
                terminal_.err << "muster: cannot renew certificates: " << format_error(renewed.error()) << '\n';
            }
            renew_later();
        });
    }

    void stop() {
        if (stopping_ || !http_) {
            loop_.stop();
            return;
        }
        stopping_ = true;
        service_->set_ready(false);
        service_->finish_watches();
        http_->stop(5s, [this] { loop_.post([this] { loop_.stop(); }); });
    }

    const cli::UpOptions& options_;
    cli::Terminal terminal_;
    os::LinuxFiles files_;
    os::TimeZones time_zones_;
    os::RealLoop loop_;
    os::Address listen_;
    api::FeatureGates gates_;
    server::KindCodec codec_;
    std::unique_ptr<store::RocksdbJournal> journal_;
    std::unique_ptr<store::Store> store_;
    server::Identity identity_;
    std::unique_ptr<server::RoleIndex> roles_;
    std::unique_ptr<server::StoredBoundObjects> bound_objects_;
    std::unique_ptr<server::Objects> objects_;
    std::unique_ptr<ControllerSet> controllers_;
    std::unique_ptr<NodeSet> nodes_;
    std::unique_ptr<server::TokenSigner> signer_;
    std::unique_ptr<os::AppendFile> audit_;
    std::unique_ptr<os::Signals> signals_;
    std::unique_ptr<server::ApiService> service_;
    std::unique_ptr<os::HttpServer> http_;
    std::string address_;
    bool stopping_ = false;
};

}  // namespace

int run_up(const cli::UpOptions& options, cli::Terminal terminal) {
    Up up(options, terminal);
    if (const Result<> started = up.start(); !started.ok()) {
        terminal.err << "muster: " << started.error().message << '\n';
        return 1;
    }
    up.run();
    return cli::kExitDone;
}

}  // namespace muster
