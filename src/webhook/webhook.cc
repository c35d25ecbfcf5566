#include "webhook/webhook.h"

#include "api/kinds/authentication.h"
#include "os/files/files.h"
#include "os/loop/task.h"

namespace muster::webhook {
namespace {

using api::authentication::SelfSubjectReview;
using api::core::Secret;

constexpr std::size_t kCertificateBytesMax = 1u << 20;

}  // namespace

Webhook::Webhook(os::Loop& loop, os::Worker& worker, client::Client& reader, client::Metrics& metrics,
                 WebhookSettings settings)
    : loop_(loop),
      worker_(worker),
      reader_(reader),
      metrics_(metrics),
      settings_(std::move(settings)),
      problem_("the webhook has no certificate yet"),
      tasks_(loop) {}

void Webhook::start() { tasks_.spawn(run()); }

std::string Webhook::why_not_ready() const {
    if (!server_) return problem_;
    return server_->ready() ? std::string() : "the webhook has not read the cluster's objects yet";
}

os::Task<void> Webhook::run() {
    bool knows_user = !settings_.server.review.own_user.empty();
    for (;;) {
        Result<> done;
        if (!knows_user) done = co_await find_own_user();
        if (done.ok()) {
            knows_user = true;
            const Result<os::TlsIdentity> found = co_await read_certificate();
            done = found.ok() ? use(*found) : Result<>(found.error());
        }
        if (!done.ok() && format_error(done.error()) != problem_) {
            problem_ = format_error(done.error());
            if (settings_.on_problem) settings_.on_problem("the webhook: " + problem_);
        }
        co_await os::sleep_for(loop_, server_ ? settings_.period : std::min<Duration>(settings_.period, 1s));
    }
}

os::Task<Result<>> Webhook::find_own_user() {
    Result<client::Ref<SelfSubjectReview>> answer = co_await reader_.create<SelfSubjectReview>(SelfSubjectReview());
    if (!answer.ok()) co_return std::move(answer).error();
    settings_.server.review.own_user = (*answer)->status.user_info.username.str();
    co_return Result<>();
}

os::Task<Result<os::TlsIdentity>> Webhook::read_certificate() {
    if (!settings_.certificate_directory.empty()) {
        auto work = [directory = settings_.certificate_directory] { return read_certificate_directory(directory); };
        co_return co_await os::offload(loop_, worker_, std::move(work));
    }
    const client::ObjectName name{Text(settings_.identity.namespace_), Text(settings_.secret)};
    Result<client::Ref<Secret>> secret = co_await reader_.get<Secret>(name);
    if (!secret.ok()) co_return std::move(secret).error();
    const KeptCertificates kept = read_kept(**secret);
    if (kept.serving.certificate.empty() || kept.serving.key.empty())
        co_return Error{Code::kNotFound, "Secret " + format_name(name) + " has no certificate yet"};
    co_return os::TlsIdentity{kept.serving.certificate, kept.serving.key};
}

Result<> Webhook::use(const os::TlsIdentity& identity) {
    if (server_ && identity.certificate_chain == used_.certificate_chain && identity.key == used_.key) return {};
    if (server_) {
        TRY(server_->replace_certificate(identity));
    } else {
        TRY_ASSIGN(server_, WebhookServer::start(loop_, reader_, metrics_, settings_.server, identity));
        if (settings_.on_listening) settings_.on_listening(server_->address());
    }
    used_ = identity;
    return {};
}

Result<os::TlsIdentity> read_certificate_directory(const std::string& directory) {
    os::LinuxFiles files;
    TRY_ASSIGN(std::string certificate, files.read(directory + "/tls.crt", kCertificateBytesMax));
    TRY_ASSIGN(std::string key, files.read(directory + "/tls.key", kCertificateBytesMax));
    return os::TlsIdentity{std::move(certificate), std::move(key)};
}

}  // namespace muster::webhook
