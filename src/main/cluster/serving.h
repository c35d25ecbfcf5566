// The endpoints of `muster controllers`: which there are, what they tell of the process, and the certificate of the one
// with metrics, which is read again or renewed while it serves.
#pragma once

#include <memory>
#include <string>

#include "assembly/cluster/cluster_process.h"
#include "cli/connection/surroundings.h"
#include "cli/controllers/controllers_options.h"
#include "client/remote/remote_link.h"
#include "endpoints/endpoints.h"

namespace muster {

// From the flags; the identity and what is told of the process are not in it yet. kBadRequest names the flag.
Result<endpoints::EndpointsOptions> make_endpoints_options(const cli::ControllersOptions& options);
// Whether the API server is asked who may read.
bool reviews_readers(const endpoints::EndpointsOptions& options);

class ClusterEndpoints {
public:
    // All must outlive it; `requests` are the metrics of the link. To the checks of readiness in `options` are added
    // those of credentials and mirrors. kBadRequest names the flag, else why an address cannot be listened at.
    static Result<std::unique_ptr<ClusterEndpoints>> start(os::Loop& loop, client::RemoteLink& link,
                                                           ClusterProcess& process, client::Metrics& requests,
                                                           endpoints::EndpointsOptions options, std::string cert_dir,
                                                           const cli::Surroundings& surroundings);
    ~ClusterEndpoints();
    ClusterEndpoints(const ClusterEndpoints&) = delete;
    ClusterEndpoints& operator=(const ClusterEndpoints&) = delete;

private:
    ClusterEndpoints(os::Loop& loop, std::string cert_dir, const cli::Surroundings& surroundings);
    // The certificate and its key, of the directory or our own.
    Result<os::TlsIdentity> find_identity() const;
    void look_later();
    void look_at_identity();

    os::Loop& loop_;
    const std::string cert_dir_;
    const cli::Surroundings& surroundings_;
    os::TlsIdentity identity_;
    std::unique_ptr<client::RemoteClient> reviewer_;
    std::unique_ptr<endpoints::Endpoints> endpoints_;
    os::TimerId timer_ = 0;
};

}  // namespace muster
