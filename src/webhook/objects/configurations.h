// The webhook configurations by which an API server asks Muster (webhook/server): what is sent and what is not. Pods
// that have nothing to do with queues are never sent, so that they do not depend on Muster. `muster manifests` prints
// them; the process writes the authority into them (webhook/certificates).
#pragma once

#include <boost/json/object.hpp>
#include <vector>

#include "webhook/objects/names.h"

namespace muster::webhook {

struct ConfigurationOptions {
    Identity identity{};
    std::string authority{};  // PEM, of the certificate that the server shows; empty: written later
    // Of cert-manager, as NAMESPACE/NAME of a Certificate: it writes the authority then.
    std::string inject_authority_from{};
    // manageJobsWithoutQueueName of the queue's configuration: every pod and Job of the namespaces is sent.
    bool all_work = false;
    // managedJobsNamespaceSelector of the queue's configuration, as a LabelSelector; empty: all namespaces. Those of
    // the system and Muster's own are never sent.
    boost::json::object namespace_selector{};
};

// A MutatingWebhookConfiguration and a ValidatingWebhookConfiguration.
std::vector<boost::json::object> webhook_configurations(const ConfigurationOptions& options);

// Where an API server finds a path of ours: clientConfig of a webhook or of a conversion.
boost::json::object client_config(const ConfigurationOptions& options, std::string_view path);

// spec.conversion of a CustomResourceDefinition of the queueing kinds that serves v1beta1 beside v1beta2.
boost::json::object conversion_spec(const ConfigurationOptions& options);

}  // namespace muster::webhook
