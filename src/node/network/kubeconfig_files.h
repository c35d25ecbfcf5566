// How a pod that has no token mounted finds the API: a kubeconfig for each service account that pods of the node have,
// in the node's directory, readable by the node's user alone, and a token beside it that is renewed when four fifths of
// its life are over. Made when the first pod needs it. Pods of one account share it, so its token ends with the account
// and not with a pod.
#pragma once

#include <map>
#include <string>

#include "api/kinds/core/service_account.h"
#include "client/client.h"
#include "client/mirror.h"
#include "node/network/api_point.h"
#include "os/files/files.h"
#include "os/loop/task.h"

namespace muster::node {

// A kubeconfig whose token stands in a file. `server` is "https://127.0.0.1:6443".
std::string format_pod_kubeconfig(std::string_view server, std::string_view authority_pem, std::string_view namespace_,
                                  std::string_view token_file);

class KubeconfigFiles {
public:
    // All must outlive it; destroying it stops it. `directory` is the node's.
    KubeconfigFiles(os::Loop& loop, client::Client& client, std::string directory, ApiPoint api);
    ~KubeconfigFiles();

    void start() { accounts_.start(); }
    // When the accounts are known, takes over what an earlier process made: pods that run use it.
    os::Task<void> begin();
    // The path of the account's kubeconfig. Nothing when there is no server or no such account, when the account wants
    // no tokens handed out, or when it cannot be written now.
    std::string path_for(const Text& namespace_, const Text& account);

private:
    using AccountRef = client::Ref<api::core::ServiceAccount>;
    struct Kept {
        Text uid{};  // of the account that the token is for
        os::TimerId renewal = 0;
        Instant renew_at{};
        std::uint64_t version = 0;
    };
    std::string directory_of(const client::ObjectName& account) const;
    void on_account(const AccountRef& before, const AccountRef& now);
    void drop(const client::ObjectName& account);
    // Writes both files, with a new token, and sees to the next.
    bool renew(const client::ObjectName& account, Kept& kept);
    void renew_later(const client::ObjectName& account, Kept& kept);

    os::Loop& loop_;
    const std::string directory_;
    const ApiPoint api_;
    os::LinuxFiles files_;
    client::Mirror<api::core::ServiceAccount> accounts_;
    std::map<client::ObjectName, Kept> kept_;
};

}  // namespace muster::node
