#include "server/identity/identity_files.h"

#include <algorithm>
#include <optional>

#include "api/codec/base64.h"
#include "api/value/quote.h"
#include "server/identity/json_web_token.h"

namespace muster::server {
namespace {

constexpr std::size_t kFileBytesMax = 1u << 20;
constexpr std::string_view kAdminName = "kubernetes-admin";

// Nothing when there is no such file. A file that is there and empty is damaged, and not the same.
Result<std::optional<std::string>> read_if_there(os::Files& files, const std::string& path) {
    Result<std::string> content = files.read(path, kFileBytesMax);
    if (!content.ok() && content.error().code == Code::kNotFound) return std::optional<std::string>();
    TRY(content);
    return std::optional(*std::move(content));
}

Result<> write_secret(os::Files& files, const std::string& path, std::string_view content) {
    return files.replace(path, content, os::Access::kOnlyUs);
}

Error damaged(const std::string& path, const std::string& content, std::string_view expected,
              std::string_view removing_it_would) {
    return {Code::kCorrupt, path + (content.empty() ? " is empty" : " is damaged") + ": it does not hold " +
                                std::string(expected) + "; restore it from a backup, or remove it to " +
                                std::string(removing_it_would)};
}

// The two parts of a file, whichever comes first.
Certificate split_pem(const std::string& content) {
    constexpr std::string_view kCertificate = "-----BEGIN CERTIFICATE-----";
    constexpr std::string_view kCertificateEnd = "-----END CERTIFICATE-----\n";
    const std::size_t start = content.find(kCertificate);
    const std::size_t last = content.rfind(kCertificateEnd);
    if (start == std::string::npos || last == std::string::npos || last < start) return {"", content};
    const std::size_t end = last + kCertificateEnd.size();
    return {content.substr(start, end - start), content.substr(0, start) + content.substr(end)};
}

std::string join_pem(const Certificate& certificate) { return certificate.certificate + certificate.key; }

Result<Certificate> keep_authority(os::Files& files, const std::string& directory, Instant now) {
    const std::string path = directory + "/ca.pem";
    TRY_ASSIGN(const std::optional<std::string> content, read_if_there(files, path));
    Certificate authority = split_pem(content.value_or(""));
    if (!content) {
        authority = make_authority("muster-ca", now);
        TRY(write_secret(files, path, join_pem(authority)));
    } else if (!is_pair(authority)) {
        return damaged(path, *content, "a certificate and its key",
                       "make a new authority, whose certificates no client trusts yet");
    } else if (needs_renewal(authority.certificate, now)) {
        TRY_ASSIGN(authority, renew_authority(authority, now));
        TRY(write_secret(files, path, join_pem(authority)));
    }
    return authority;
}

// `suits` says whether one that is good otherwise can be used; `issue` makes another.
template <class Suits, class Issue>
Result<Certificate> keep_certificate(os::Files& files, const std::string& path, const Certificate& authority,
                                     Instant now, Suits suits, Issue issue) {
    TRY_ASSIGN(const std::optional<std::string> content, read_if_there(files, path));
    Certificate certificate = split_pem(content.value_or(""));
    if (is_pair(certificate) && !needs_renewal(certificate.certificate, now) &&
        is_signed_by(certificate.certificate, authority.certificate) && suits(certificate))
        return certificate;
    TRY_ASSIGN(certificate, issue());
    TRY(write_secret(files, path, join_pem(certificate)));
    return certificate;
}

Result<std::string> keep_signing_keys(os::Files& files, const std::string& path) {
    TRY_ASSIGN(std::optional<std::string> content, read_if_there(files, path));
    if (!content) {
        content = make_signing_key();
        TRY(write_secret(files, path, *content));
    }
    // The first key signs, and every key after it must verify: the end of the file may be missing, too.
    if (!TokenSigner::from_pem(*content).ok() || !TokenKeys::from_pem(*content).ok())
        return damaged(path, *content, "only whole signing keys",
                       "make a new one, which ends the validity of every service account token");
    return *std::move(content);
}

std::string base64_of(std::string_view text) {
    std::string out;
    api::append_base64(text, out);
    return out;
}

}  // namespace

Result<std::vector<std::string>> find_lost_identity(os::Files& files, const std::string& data_directory) {
    struct Kept {
        const char* name;
        const char* when_missing;  // null: nothing is lost
        const char* when_damaged;  // null: it is refused
    };
    constexpr Kept kKept[] = {
        {"ca.pem", "a new authority is made, whose certificates no client trusts yet", nullptr},
        {"service-accounts.pem", "a new key is made, and no service account token from before is valid", nullptr},
        {"server.pem", nullptr, "another certificate is made"},
        {"admin.pem", nullptr, "another certificate is made, and written to the kubeconfig"},
    };
    const std::string directory = data_directory + "/pki/";
    std::vector<std::string> lost;
    bool first_start = true;
    for (const Kept& kept : kKept) {
        const std::string path = directory + kept.name;
        TRY_ASSIGN(const std::optional<std::string> content, read_if_there(files, path));
        first_start = first_start && !content;
        if (!content && kept.when_missing) lost.push_back(path + " is missing: " + kept.when_missing);
        if (content && kept.when_damaged && !is_pair(split_pem(*content)))
            lost.push_back(path + (content->empty() ? " is empty: " : " is damaged: ") + kept.when_damaged);
    }
    if (first_start) lost.clear();
    return lost;
}

Result<Identity> keep_identity(os::Files& files, const std::string& data_directory, const ServingNames& names,
                               Instant now) {
    const std::string directory = data_directory + "/pki";
    TRY(files.create_directories(directory, os::Access::kOnlyUs));
    Identity identity;
    TRY_ASSIGN(identity.authority, keep_authority(files, directory, now));
    TRY_ASSIGN(identity.serving, keep_certificate(
                                     files, directory + "/server.pem", identity.authority, now,
                                     [&](const Certificate& kept) { return has_names(kept.certificate, names); },
                                     [&] { return issue_serving_certificate(identity.authority, names, now); }));
    TRY_ASSIGN(identity.signing_keys, keep_signing_keys(files, directory + "/service-accounts.pem"));
    identity.renew_at = std::min(renewal_time(read_certificate(identity.authority.certificate).value()),
                                 renewal_time(read_certificate(identity.serving.certificate).value()));
    return identity;
}

Result<Identity> keep_admin(os::Files& files, const std::string& data_directory, Identity identity, Instant now,
                            const std::atomic<bool>& given_up) {
    TRY_ASSIGN(identity.admin,
               keep_certificate(files, data_directory + "/pki/admin.pem", identity.authority, now, has_rsa_key, [&] {
                   const std::string groups[] = {"system:masters"};
                   return issue_rsa_client_certificate(identity.authority, kAdminName, groups, now, given_up);
               }));
    identity.renew_at = std::min(identity.renew_at, renewal_time(read_certificate(identity.admin.certificate).value()));
    return identity;
}

Duration until_next_look(Instant renew_at, Instant now) { return std::clamp<Duration>(renew_at - now, 1s, 10s); }

Result<Identity> renew_identity(os::Files& files, const std::string& data_directory, const ServingNames& names,
                                std::string_view server, Instant now, const std::atomic<bool>& given_up) {
    TRY_ASSIGN(Identity identity, keep_identity(files, data_directory, names, now));
    TRY_ASSIGN(identity, keep_admin(files, data_directory, std::move(identity), now, given_up));
    TRY(write_kubeconfig(files, data_directory + "/kubeconfig",
                         format_kubeconfig(server, identity.authority.certificate, identity.admin)));
    return identity;
}

std::string format_kubeconfig(std::string_view server, std::string_view authority_pem, const Certificate& client) {
    std::string text =
        "apiVersion: v1\n"
        "kind: Config\n"
        "clusters:\n"
        "- name: muster\n"
        "  cluster:\n";
    text += "    server: " + api::in_quotes(server) + "\n";
    text += "    certificate-authority-data: " + base64_of(authority_pem) + "\n";
    text +=
        "users:\n"
        "- name: muster-admin\n"
        "  user:\n";
    text += "    client-certificate-data: " + base64_of(client.certificate) + "\n";
    text += "    client-key-data: " + base64_of(client.key) + "\n";
    text +=
        "contexts:\n"
        "- name: muster\n"
        "  context:\n"
        "    cluster: muster\n"
        "    user: muster-admin\n"
        "current-context: muster\n";
    return text;
}

Result<> write_kubeconfig(os::Files& files, const std::string& path, std::string_view content) {
    TRY_ASSIGN(const std::optional<std::string> there, read_if_there(files, path));
    if (there && *there == content) return {};
    return write_secret(files, path, content);
}

}  // namespace muster::server
