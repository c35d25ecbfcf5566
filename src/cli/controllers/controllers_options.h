// What `muster controllers` was told on the command line. Names are kube-controller-manager's where they mean the same.
#pragma once

#include <cstdint>
#include <string>

namespace muster::cli {

struct ControllersOptions {
    // Which server. Without both the pod's own service account, where there is one, else what kubectl would use.
    std::string kubeconfig{};
    std::string context{};

    std::string controllers = "job,queue,pod-ttl";
    std::string job_mode = "managed-by";  // managed-by, all, or both with a comma
    std::string job_managed_by = "muster.dev/job-controller";
    std::string namespace_{};  // empty: all
    bool observe = false;
    bool force_queue = false;  // although Kueue is at work

    bool leader_elect = true;
    std::string leader_elect_namespace{};  // empty: the pod's own, else muster-system
    std::string leader_elect_name = "muster-controllers";
    std::string leader_elect_lease_duration = "15s";
    std::string leader_elect_renew_deadline = "10s";
    std::string leader_elect_retry_period = "2s";

    std::int64_t api_connections = 64;
    double kube_api_qps = 0;  // 0: no limit
    std::int64_t kube_api_burst = 30;

    std::string feature_gates{};
    std::string config_file{};

    std::string webhook_bind_address = ":9443";
    std::string webhook_cert_dir = "self";  // self: certificates are made and renewed here
    std::string health_bind_address = ":8081";
    std::string metrics_bind_address = ":8443";
    std::string metrics_auth = "token";     // token, none
    std::string metrics_cert_dir = "self";  // self: a certificate is made and renewed here
};

}  // namespace muster::cli
