#include "main/control_plane.h"

#include <algorithm>

#include "api/kinds/core/service.h"
#include "api/value/quantity.h"
#include "main/queue_admission.h"
#include "os/http/server/http_acceptor.h"
#include "os/machine/entropy.h"
#include "os/machine/machine.h"
#include "os/machine/memory.h"
#include "server/access/pod_makers.h"
#include "server/access/rbac/aggregation.h"
#include "server/access/rbac/escalation_admission.h"
#include "server/api_host.h"
#include "server/bootstrap.h"
#include "server/event_expiry.h"
#include "server/identity/token_request.h"
#include "server/objects/gate_admission.h"
#include "server/objects/image_warning.h"
#include "server/objects/service_account_admission.h"
#include "store/data_directory.h"

namespace muster {
namespace {

// Empty when nothing is logged.
std::string audit_metrics(const os::AppendFile* audit) {
    if (!audit) return {};
    return "# HELP apiserver_audit_error_total Lines of the audit log that could not be written.\n"
           "# TYPE apiserver_audit_error_total counter\n"
           "apiserver_audit_error_total{plugin=\"log\"} " +
           std::to_string(audit->dropped()) + "\n";
}

// `--buffer-memory`, or what suits the machine. It must hold the history for watches and one user's requests.
Result<std::shared_ptr<os::ByteBudget>> make_budget(std::string_view size) {
    constexpr std::int64_t kMin = 192 << 20;
    os::BudgetLimits limits;
    limits.total = os::default_budget(os::memory_limit_bytes());
    if (!size.empty()) {
        const Result<api::Quantity> given = api::Quantity::parse(size);
        if (!given.ok() || given->value() < kMin)
            return Error{Code::kBadRequest,
                         "--buffer-memory is a size of 192Mi or more, such as 1Gi, not \"" + std::string(size) + '"'};
        limits.total = static_cast<std::size_t>(given->value());
    }
    return std::make_shared<os::ByteBudget>(limits);
}

constexpr const char* kAnyAddress = "0.0.0.0";
constexpr Duration kLastRequests = 5s;
constexpr std::uint16_t kHttpsPort = 443;

// False only when the port is in use; other errors, such as missing rights, count as free.
bool is_https_free(const std::string& host) {
    const auto socket = os::listen_at({host, kHttpsPort});
    return socket.ok() || socket.error().code != Code::kAlreadyExists;
}

bool is_any_address(const os::Address& address) { return address.host == kAnyAddress || address.host == "::"; }

std::string stored_api_host(const store::Store& store) {
    const auto stored = store.get(server::object_key(api::kind_info<api::core::Service>(), "default", "kubernetes"));
    if (!stored) return {};
    const auto& object = static_cast<const server::KindObject&>(*stored->object);
    return server::as<api::core::Service>(object).spec.cluster_ip.str();
}

server::ServingNames serving_names(const os::Address& listen, const std::string& api_host) {
    server::ServingNames names;
    names.ips.push_back(api_host);
    if (std::string host = os::host_name(); !host.empty()) names.host_names.push_back(std::move(host));
    if (!is_any_address(listen)) names.ips.push_back(listen.host);
    return names;
}

// The address that clients on this machine use.
std::string client_address(os::Address address) {
    if (address.host == kAnyAddress) address.host = "127.0.0.1";
    if (address.host == "::") address.host = "::1";
    return os::format_address(address);
}

// Of Events little is kept for watches: every pod and Job writes several, and few clients watch them.
store::StoreOptions store_options() {
    constexpr std::size_t kEventHistoryBytes = 8u << 20;
    store::StoreOptions options;
    options.history_bytes_max_of[server::list_prefix(api::kind_info<api::core::Event>(), "")] = kEventHistoryBytes;
    return options;
}

store::RocksdbJournalOptions journal_options(const cli::UpOptions& options, const ControlPlane::OnProblem& report) {
    store::RocksdbJournalOptions journal;
    journal.report = report;
    if (options.accept_loss_from != 0) journal.accept_loss_from = options.accept_loss_from;
    return journal;
}

// Everything that a server on another machine needs to go on as this one.
os::Task<void> back_up(store::RocksdbJournal& journal, std::string directory, std::function<void(Result<>)> done) {
    std::vector<std::string> beside{"pki"};
    auto copying = journal.backup(std::move(directory), std::move(beside));
    Result<> made = co_await std::move(copying);
    done(std::move(made));
}

}  // namespace

ControlPlane::ControlPlane(os::RealLoop& loop, cli::UpOptions options, OnProblem on_problem)
    : loop_(loop), options_(std::move(options)), on_problem_(std::move(on_problem)), tasks_(loop), admin_made_(loop) {}

ControlPlane::~ControlPlane() {
    given_up_ = true;
    if (renewal_ != 0) loop_.cancel(renewal_);
}

Result<> ControlPlane::start() {
    TRY_ASSIGN(gates_, api::parse_feature_gates(options_.feature_gates));
    TRY(read_configuration());
    TRY_ASSIGN(const std::set<std::string> controllers, parse_controllers(options_.controllers));
    TRY_ASSIGN(NodeChoice node, parse_node(options_.node));
    TRY_ASSIGN(budget_, make_budget(options_.buffer_memory));
    TRY_ASSIGN(node.logs, parse_log_limits(options_.container_log_size_max, options_.container_log_files_max));
    TRY_ASSIGN(node.path, parse_pod_path(options_.pod_path));
    TRY_ASSIGN(const server::EventLimits events,
               server::parse_event_limits(options_.event_life, options_.events_max_count, options_.events_max_size));
    TRY_ASSIGN(listen_, os::parse_address(options_.listen));
    TRY_ASSIGN(pod_user_, choose_pod_user(options_, node.kind));
    node.pod_user = pod_user_.user;
    // Whether the directory is free is asked first, so that what is started below is not started in vain.
    TRY(store::lock_directory(options_.data_directory));
    if (pod_user_.user) TRY(os::close_to_others(options_.data_directory));
    helper_ = start_node_helper(node, loop_, options_.data_directory);
    TRY_ASSIGN(journal_, store::RocksdbJournal::open(loop_, std::make_unique<os::ThreadWorker>("journal"),
                                                     options_.data_directory, journal_options(options_, on_problem_)));
    TRY_ASSIGN(store_, store::Store::open(loop_, *journal_, codec_, store_options()));
    api_host_ = server::choose_api_host(stored_api_host(*store_), is_https_free);
    TRY_ASSIGN(const std::vector<std::string> lost, server::find_lost_identity(files_, options_.data_directory));
    for (const std::string& what : lost) on_problem_(what);
    TRY_ASSIGN(identity_,
               server::keep_identity(files_, options_.data_directory, serving_names(listen_, api_host_), loop_.now()));
    make_admin();
    const bool with_accounts = controllers.contains(kServiceAccountController);
    TRY(make_objects(with_accounts, controllers.contains(kQueueController), node.kind == NodeChoice::Kind::kProcess));
    TRY(make_service());
    TRY(server::ensure_first_objects(*objects_, os::draw_seed()));
    if (with_accounts) TRY(server::ensure_default_accounts(*objects_));
    tasks_.spawn(server::keep_roles_aggregated(*store_));
    tasks_.spawn(server::expire_events(*objects_, events.life));
    tasks_.spawn(server::bound_events(*objects_, events));
    controllers_->start(controllers);
    nodes_ = start_nodes(node, loop_, *objects_, *mirrors_, metrics_, options_.data_directory, api_point());
    return {};
}

Result<> ControlPlane::read_configuration() {
    if (options_.config_file.empty()) return {};
    constexpr std::size_t kConfigurationMax = 1u << 20;
    TRY_ASSIGN(const std::string text, files_.read(options_.config_file, kConfigurationMax));
    std::vector<std::string> notes;
    Result<api::kueue::QueueConfiguration> read = api::kueue::parse_queue_configuration(text, &notes);
    if (!read.ok()) return Error{read.error().code, options_.config_file + ": " + read.error().message};
    for (const std::string& note : notes) on_problem_(options_.config_file + ": " + note);
    queueing_ = *std::move(read);
    return {};
}

Result<> ControlPlane::make_objects(bool with_accounts, bool with_queues, bool with_processes) {
    roles_ = std::make_unique<server::RoleIndex>(*store_);
    bound_objects_ = std::make_unique<server::StoredBoundObjects>(*store_);
    server::AdmissionChain chain = server::default_admission();
    const auto token_files = pod_user_.user ? server::TokenFiles::kAlways : server::TokenFiles::kWhereCheap;
    if (with_accounts) chain.mutating.push_back(server::admit_service_account(token_files));
    chain.mutating.push_back(server::drop_disabled_fields(gates_));
    chain.validating.push_back(server::check_escalation(*roles_));
    if (pod_user_.kind == PodUserChoice::Kind::kAdministrators) chain.validating.push_back(server::check_pod_makers());
    if (with_queues) {
        chain.mutating.push_back(queue_mutation(queueing_));
        chain.validating.push_back(queue_validation(queueing_));
    }
    if (with_processes) chain.validating.push_back(server::warn_of_images);
    api::RuleContext rules;
    rules.knows_time_zone = [this](std::string_view zone) { return time_zones_.knows(zone); };
    objects_ = std::make_unique<server::Objects>(loop_, *store_, std::move(chain), rules, os::draw_seed(), kinds_);
    make_controllers();
    return {};
}

void ControlPlane::make_controllers() {
    reader_ = std::make_unique<server::LocalClient>(*objects_, server::User());
    mirrors_ = std::make_unique<client::SharedMirrors>(loop_, *reader_);
    ControllerSetOptions options;
    options.gates = gates_;
    options.queueing = queueing_;
    options.read_zone = [this](std::string_view zone) { return time_zones_.read(zone); };
    options.authority = identity_.authority.certificate;
    const MakeClient make_client = [this](std::string_view user) {
        return std::make_unique<server::LocalClient>(*objects_, server::controller_user(user), mirrors_.get());
    };
    controllers_ = std::make_unique<ControllerSet>(loop_, metrics_, make_client, std::move(options));
}

Result<> ControlPlane::make_service() {
    TRY_ASSIGN(auto signer, server::TokenSigner::from_pem(identity_.signing_keys));
    signer_ = std::make_unique<server::TokenSigner>(std::move(signer));
    TRY_ASSIGN(auto authenticator, make_authenticator());
    server::ApiServiceOptions service_options;
    service_options.kinds = kinds_;
    service_options.budget = budget_;
    service_options.seed = os::draw_seed();
    service_options.decoder = std::make_shared<os::ThreadWorker>("bodies");
    service_options.decoder->run(&os::give_way);
    service_options.sessions_for_administrators = pod_user_.kind == PodUserChoice::Kind::kAdministrators;
    service_options.more_metrics = [this] { return metrics_.format() + audit_metrics(audit_.get()); };
    service_options.backup = [this](std::string directory, std::function<void(Result<>)> done) {
        tasks_.spawn(back_up(*journal_, std::move(directory), std::move(done)));
    };
    if (!options_.audit_log.empty()) {
        TRY_ASSIGN(audit_, os::AppendFile::open(options_.audit_log));
        service_options.audit = [this](std::string line) { audit_->write(std::move(line)); };
    }
    server::Services services{*objects_, *roles_, *bound_objects_, std::move(authenticator), *signer_};
    services.node = [this] { return pods(); };
    service_ = std::make_unique<server::ApiService>(loop_, std::move(services), std::move(service_options));
    return {};
}

Result<std::shared_ptr<const server::Authenticator>> ControlPlane::make_authenticator() {
    std::shared_ptr<const server::StaticTokens> tokens;
    if (!options_.token_file.empty()) {
        TRY_ASSIGN(const std::string text, files_.read(options_.token_file, 1u << 20));
        Result<server::StaticTokens> parsed = server::StaticTokens::parse(text);
        if (!parsed.ok()) return Error{parsed.error().code, options_.token_file + ": " + parsed.error().message};
        if (parsed->size() == 0) on_problem_(options_.token_file + " holds no tokens");
        tokens = std::make_shared<const server::StaticTokens>(std::move(*parsed));
    }
    const server::TokenIssuerOptions issuer;
    TRY_ASSIGN(auto keys, server::TokenKeys::from_pem(identity_.signing_keys));
    auto verifier = std::make_shared<const server::TokenVerifier>(
        std::move(keys), std::vector<std::string>{issuer.issuer}, issuer.audiences);
    return std::make_shared<const server::Authenticator>(std::move(tokens), std::move(verifier));
}

os::TlsServerSettings ControlPlane::tls_settings() const {
    return {{identity_.serving.certificate, identity_.serving.key}, identity_.authority.certificate};
}

// Making its key takes longer than the rest of the first start.
void ControlPlane::make_admin() {
    key_worker_ = std::make_unique<os::ThreadWorker>("admin key");
    key_worker_->run([this, made = admin_made_, identity = identity_, now = loop_.now()]() mutable {
        auto kept = server::keep_admin(files_, options_.data_directory, std::move(identity), now, given_up_);
        loop_.post([made, kept = std::move(kept)]() mutable { made.resolve(std::move(kept)); });
    });
}

os::Task<void> ControlPlane::let_admin_in(OnServed served) {
    Result<server::Identity> made = co_await admin_made_;
    key_worker_.reset();
    Result<> written = made.ok() ? Result<>() : Result<>(made.error());
    if (made.ok()) {
        identity_ = std::move(*made);
        written = server::write_kubeconfig(
            files_, options_.data_directory + "/kubeconfig",
            server::format_kubeconfig("https://" + address_, identity_.authority.certificate, identity_.admin));
        renew_later();
    }
    co_await store_->durable(store_->revision());
    if (served) served(written);
}

Result<> ControlPlane::serve(OnServed served) {
    os::HttpServerOptions http;
    const os::DescriptorPlan descriptors =
        os::plan_descriptors(os::raise_descriptor_limit(), http.limits.connections_max);
    http.limits.connections_max = descriptors.connections_max;
    http.limits.first_reserved_descriptor = descriptors.first_reserved;
    http.listen = listen_;
    http.carrying_threads = std::max(1, os::processor_count() / 2);
    http.tls = tls_settings();
    http.on_problem = on_problem_;
    http.budget = budget_;
    TRY_ASSIGN(http_, os::start_http_server(http, *service_));
    address_ = client_address(http_->address());
    TRY_ASSIGN(const os::Address own, os::parse_address(address_));
    const os::Address api = open_api_address(own);
    TRY(server::ensure_api_service(*objects_, api.host, api.port));
    store_->when_durable(store_->revision(), [this] { service_->set_ready(true); });
    tasks_.spawn(let_admin_in(std::move(served)));
    return {};
}

os::Address ControlPlane::open_api_address(const os::Address& own) {
    if (http_->listen_also({api_host_, kHttpsPort}).ok()) return {api_host_, kHttpsPort};
    // It listens there already.
    if (is_any_address(listen_)) return {api_host_, own.port};
    if (http_->listen_also({api_host_, own.port}).ok()) return {api_host_, own.port};
    return own;
}

node::ApiPoint ControlPlane::api_point() {
    node::ApiPoint api;
    api.server = [this] { return address_.empty() ? std::string() : "https://" + address_; };
    api.authority = identity_.authority.certificate;
    api.request_token = [this](const Text& namespace_, const Text& account,
                               api::authentication::TokenRequest request) -> Result<api::authentication::TokenRequest> {
        TRY_ASSIGN(server::TokenAnswer answer,
                   server::answer_token_request(std::move(request), namespace_, account, *bound_objects_, *signer_,
                                                server::TokenIssuerOptions(), loop_.now()));
        return std::move(answer.request);
    };
    return api;
}

// Certificates are renewed while serving; connections that stand keep theirs.
void ControlPlane::renew_later() {
    const Duration wait = server::until_next_look(identity_.renew_at, loop_.now());
    renewal_ = loop_.after(wait, [this] { tasks_.spawn(renew()); });
}

os::Task<void> ControlPlane::renew() {
    if (loop_.now() >= identity_.renew_at) {
        key_worker_ = std::make_unique<os::ThreadWorker>("admin key");
        auto renewing = os::offload(loop_, *key_worker_, [this, server = "https://" + address_, now = loop_.now()] {
            return server::renew_identity(files_, options_.data_directory, serving_names(listen_, api_host_), server,
                                          now, given_up_);
        });
        Result<server::Identity> renewed = co_await std::move(renewing);
        key_worker_.reset();
        if (renewed.ok() && !(*renewed == identity_)) {
            identity_ = std::move(*renewed);
            if (const auto replaced = http_->replace_tls(tls_settings()); !replaced.ok())
                on_problem_(format_error(replaced.error()));
        } else if (!renewed.ok()) {
            on_problem_("cannot renew certificates: " + format_error(renewed.error()));
        }
    }
    renew_later();
}

void ControlPlane::close_door(std::function<void()> done) {
    if (closing_ || !http_) {
        done();
        return;
    }
    closing_ = true;
    service_->set_ready(false);
    service_->finish_watches();
    http_->stop(kLastRequests, [this, done = std::move(done)] { loop_.post(done); });
}

}  // namespace muster
