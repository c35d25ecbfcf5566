#include "node/network/kubeconfig_files.h"

#include <algorithm>

#include "api/codec/base64.h"
#include "os/files/payload.h"

namespace muster::node {
namespace {

using api::authentication::TokenRequest;
using client::ObjectName;

constexpr std::int64_t kAccessSeconds = 3600;
constexpr Duration kAccessRetry = 10s;
constexpr std::uint32_t kOursAlone = 0600;
constexpr const char* kAccessFolder = "/access";

}  // namespace

std::string format_pod_kubeconfig(std::string_view server, std::string_view authority_pem, std::string_view namespace_,
                                  std::string_view token_file) {
    std::string text =
        "apiVersion: v1\nkind: Config\ncurrent-context: pod\nclusters:\n- name: muster\n  cluster:\n    server: ";
    text.append(server).append("\n    certificate-authority-data: ");
    api::append_base64(authority_pem, text);
    text.append("\nusers:\n- name: service-account\n  user:\n    tokenFile: ").append(token_file);
    text.append(
        "\ncontexts:\n- name: pod\n  context:\n    cluster: muster\n    user: service-account\n    namespace: ");
    return text.append(namespace_).append("\n");
}

KubeconfigFiles::KubeconfigFiles(os::Loop& loop, client::Client& client, std::string directory, ApiPoint api)
    : loop_(loop), directory_(std::move(directory)), api_(std::move(api)), accounts_(loop, client) {
    accounts_.on_change([this](const AccountRef& before, const AccountRef& now) { on_account(before, now); });
}

KubeconfigFiles::~KubeconfigFiles() {
    for (const auto& [name, kept] : kept_) loop_.cancel(kept.renewal);
}

std::string KubeconfigFiles::directory_of(const ObjectName& account) const {
    return directory_ + kAccessFolder + '/' + account.namespace_.str() + '/' + account.name.str();
}

os::Task<void> KubeconfigFiles::begin() {
    co_await accounts_.wait_synced();
    const auto namespaces = files_.list(directory_ + kAccessFolder);
    if (!namespaces.ok()) co_return;
    for (const std::string& namespace_ : *namespaces) {
        const auto accounts = files_.list(directory_ + kAccessFolder + '/' + namespace_);
        if (!accounts.ok()) continue;
        for (const std::string& account : *accounts)
            if (path_for(namespace_, account).empty()) drop(ObjectName(namespace_, account));
    }
}

void KubeconfigFiles::on_account(const AccountRef& before, const AccountRef& now) {
    const auto found = kept_.find(client::name_of(now ? *now : *before));
    if (found == kept_.end()) return;
    if (!now)
        drop(found->first);
    else if (!(now->metadata.uid == found->second.uid))
        (void)renew(found->first, found->second);
}

void KubeconfigFiles::drop(const ObjectName& account) {
    (void)files_.remove(directory_of(account)).ok();
    const auto found = kept_.find(account);
    if (found == kept_.end()) return;
    loop_.cancel(found->second.renewal);
    kept_.erase(found);
}

bool KubeconfigFiles::renew(const ObjectName& name, Kept& kept) {
    loop_.cancel(std::exchange(kept.renewal, 0));
    Duration next = kAccessRetry;
    bool written = false;
    const AccountRef account = accounts_.get(name);
    const std::string server = api_.server ? api_.server() : std::string();
    if (account && !server.empty() && api_.request_token) {
        TokenRequest request;
        request.spec.expiration_seconds = kAccessSeconds;
        const auto token = api_.request_token(name.namespace_, name.name, std::move(request));
        const std::string directory = directory_of(name);
        if (token.ok() && files_.create_directories(directory, os::Access::kOnlyUs).ok()) {
            const std::string config =
                format_pod_kubeconfig(server, api_.authority, name.namespace_, directory + "/token");
            // The version only has to differ from the last one's, of an earlier process, too.
            kept.version = std::max(kept.version + 1, static_cast<std::uint64_t>(loop_.now().since_epoch().count()));
            written = os::write_payload(directory,
                                        {{.path = "kubeconfig", .content = config, .mode = kOursAlone},
                                         {.path = "token", .content = token->status.token.str(), .mode = kOursAlone}},
                                        kept.version)
                          .ok();
            if (written) {
                kept.uid = account->metadata.uid;
                const auto life = token->status.expiration_timestamp.unix_seconds() - loop_.now().unix_seconds();
                next = std::max<Duration>(std::chrono::seconds(life) * 4 / 5, kAccessRetry);
            }
        }
    }
    kept.renew_at = loop_.now() + next;
    renew_later(name, kept);
    return written;
}

// A token ends by the wall clock, which may be set meanwhile: it is looked at again and again.
void KubeconfigFiles::renew_later(const ObjectName& name, Kept& kept) {
    constexpr Duration kLookEvery = 1min;
    const Duration wait = std::clamp<Duration>(kept.renew_at - loop_.now(), Duration(), kLookEvery);
    kept.renewal = loop_.after(wait, [this, name] {
        const auto found = kept_.find(name);
        if (found == kept_.end()) return;
        found->second.renewal = 0;
        if (loop_.now() < found->second.renew_at) return renew_later(name, found->second);
        (void)renew(name, found->second);
    });
}

std::string KubeconfigFiles::path_for(const Text& namespace_, const Text& account) {
    if (!api_.server || account.empty()) return {};
    const ObjectName name(namespace_, account);
    const auto found = kept_.find(name);
    if (found == kept_.end() || found->second.uid.empty()) {
        const AccountRef object = accounts_.get(name);
        if (!object || !object->automount_service_account_token.value_or(true) || api_.server().empty()) return {};
        if (!renew(name, kept_[name])) return {};
    }
    return directory_of(name) + "/kubeconfig";
}

}  // namespace muster::node
