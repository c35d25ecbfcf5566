// The names by which a cluster knows what Muster adds to it: webhook configurations, policies, labels of namespaces.
// The process that serves the webhooks and the manifests that are printed use the same.
#pragma once

#include <string>

namespace muster::webhook {

// Of the MutatingWebhookConfiguration and of the ValidatingWebhookConfiguration.
inline constexpr const char* kConfigurationName = "muster";
// Paths of the server.
inline constexpr const char* kMutatePath = "/mutate";
inline constexpr const char* kValidatePath = "/validate";
inline constexpr const char* kConvertPath = "/convert";

// On a namespace: its Jobs are given to Muster's Job controller.
inline constexpr const char* kJobsLabel = "muster.dev/jobs";
inline constexpr const char* kJobsManaged = "managed";
// On a namespace: pods and Jobs that name no queue go to its LocalQueue "default", where there is one.
inline constexpr const char* kDefaultQueueLabel = "muster.dev/default-queue";
inline constexpr const char* kEnabled = "enabled";

// Who and where Muster is in a cluster.
struct Identity {
    std::string namespace_ = "muster-system";
    std::string account = "muster";          // the ServiceAccount
    std::string service = "muster-webhook";  // the Service in front of the webhook servers
    int port = 443;                          // of that Service
    // Where the server is, in place of the Service, such as https://127.0.0.1:9443: for a process outside the cluster.
    std::string url{};
    // The user, when it is not that of the ServiceAccount.
    std::string user{};
    std::string managed_by = "muster.dev/job-controller";  // what spec.managedBy of a Job of ours says

    std::string user_name() const {
        return user.empty() ? "system:serviceaccount:" + namespace_ + ":" + account : user;
    }
};

}  // namespace muster::webhook
