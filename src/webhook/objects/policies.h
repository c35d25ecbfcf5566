// Admission policies that do the work of the webhook inside the API server: MutatingAdmissionPolicies and
// ValidatingAdmissionPolicies of admissionregistration.k8s.io/v1, which servers have from 1.36 on. There is no server
// to reach then, and no certificate. CEL can look nothing up and computes no hash, so some rules are weaker than the
// webhook's: docs/differences.md lists them.
#pragma once

#include <boost/json/object.hpp>
#include <vector>

#include "webhook/objects/names.h"

namespace muster::webhook {

struct PolicyOptions {
    Identity identity{};
    // managedJobsNamespaceSelector of the queue's configuration, as a LabelSelector; empty: all namespaces.
    boost::json::object namespace_selector{};
};

// Each policy followed by its binding.
std::vector<boost::json::object> admission_policies(const PolicyOptions& options);

}  // namespace muster::webhook
