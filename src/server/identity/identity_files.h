// The server's own certificates and keys in the data directory, mode 0600 in directories of mode 0700:
//     pki/ca.pem                 the authority: certificate and key
//     pki/server.pem             the serving certificate and key
//     pki/admin.pem              the administrator's, with an RSA key; one with another key is replaced
//     pki/service-accounts.pem   the keys of service accounts' tokens: the first signs, all verify
//     kubeconfig                 the administrator's way in
// A certificate and its key are one file, so that they change together. Missing files are created. A certificate that
// expires soon, was signed by another authority or lacks a name is replaced. An authority or signing key that is empty
// or cannot be read is an error, because a replacement would lock out all clients that trust the old one. There are few
// files because each costs the first start two syncs.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "os/files/files.h"
#include "server/identity/certificate_authority.h"

namespace muster::server {

struct Identity {
    Certificate authority{};
    Certificate serving{};
    Certificate admin{};
    std::string signing_keys{};  // PEM
    Instant renew_at{};          // when `renew_identity` will next have something to do
    bool operator==(const Identity&) const = default;
};

// What `keep_identity` and `keep_admin` are about to make again though there was one before, a sentence each for the
// operator: a file that is missing beside the others, or a certificate that cannot be read. Fails as Files does.
Result<std::vector<std::string>> find_lost_identity(os::Files& files, const std::string& data_directory);

// Reads what is there and makes the rest, but for the administrator's certificate. To be called at the start. Blocks.
// Fails with kCorrupt, naming the file, or as Files does.
Result<Identity> keep_identity(os::Files& files, const std::string& data_directory, const ServingNames& names,
                               Instant now);

// The administrator's certificate for an identity: the identity with it. Making its key takes longer than everything
// else together, so this is for a worker. kCancelled when `given_up` becomes true meanwhile; else fails as Files does.
Result<Identity> keep_admin(os::Files& files, const std::string& data_directory, Identity identity, Instant now,
                            const std::atomic<bool>& given_up);

// How long a server waits before it looks at the clock again: a timer does not notice that the wall clock is set, so it
// is never long.
Duration until_next_look(Instant renew_at, Instant now);

// Both, for who serves at that address ("https://127.0.0.1:6443"), when `renew_at` has come: the administrator's
// kubeconfig in the data directory has what is new, too. Who serves then takes the new certificates.
Result<Identity> renew_identity(os::Files& files, const std::string& data_directory, const ServingNames& names,
                                std::string_view server, Instant now, const std::atomic<bool>& given_up);

// A kubeconfig with everything inside. `server` is "https://127.0.0.1:6443".
std::string format_kubeconfig(std::string_view server, std::string_view authority_pem, const Certificate& client);
// Puts it there, unless it is there already.
Result<> write_kubeconfig(os::Files& files, const std::string& path, std::string_view content);

}  // namespace muster::server
