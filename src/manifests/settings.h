// What an installation on a cluster is to be like: the settings of `muster manifests`. Everything that is printed
// follows from them and from the program's own tables, so the same settings give the same text.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::manifests {

// What stands at the door of the queues, and gives the Jobs of labelled namespaces to Muster.
enum class Admission : std::uint8_t {
    kWebhook,   // the process itself, called by the API server
    kPolicies,  // MutatingAdmissionPolicy and ValidatingAdmissionPolicy, which the API server evaluates: from 1.36 on
    kNone,      // nothing: work is queued only when its author gates or suspends it
};
// Where the webhook's certificates come from.
enum class Certificates : std::uint8_t { kSelf, kCertManager };

struct Settings {
    std::string namespace_ = "muster-system";
    std::string image{};  // the image of this version, unless another is given
    std::string controllers = "job,pod-ttl,queue";
    std::string job_mode = "managed-by";
    std::int64_t replicas = 2;
    std::string admission = "webhook";
    std::string certificates = "self";
    std::string queue_versions = "v1beta2";  // or "v1beta1,v1beta2"
    std::string priority_class{};            // of the pods; none by default
    std::string log_format = "text";
    bool monitoring = false;       // objects of the Prometheus operator too
    std::string only_namespace{};  // serve this namespace alone, and ask for rights in it alone
};

// The settings after they were checked.
struct Plan {
    Settings settings{};
    std::set<std::string> controllers{};
    Admission admission = Admission::kWebhook;
    Certificates certificates = Certificates::kSelf;
    bool older_version = false;  // v1beta1 of the queueing kinds is served too

    bool is_local() const { return !settings.only_namespace.empty(); }
    bool queues() const { return controllers.contains("queue"); }
    bool has_webhook() const { return queues() && admission == Admission::kWebhook; }
    // Without queues only the one that gives the Jobs of a namespace to Muster.
    bool has_policies() const { return admission == Admission::kPolicies && !is_local(); }
    // Where the process and its own objects are.
    const std::string& home() const { return is_local() ? settings.only_namespace : settings.namespace_; }
    // Parts of the process whose rights it needs, by their names in assembly/permissions.h.
    std::set<std::string> parts() const;
};

// Fails with kBadRequest and a sentence that names the flag.
Result<Plan> check_settings(Settings settings);

}  // namespace muster::manifests
