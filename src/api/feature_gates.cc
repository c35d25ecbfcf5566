#include "api/feature_gates.h"

#include <iterator>

namespace muster::api {
namespace {

struct Gate {
    std::string_view name;
    bool FeatureGates::*on;
};

constexpr Gate kGates[] = {
    {"IndexedJob", &FeatureGates::indexed_job},
    {"JobTrackingWithFinalizers", &FeatureGates::job_tracking_with_finalizers},
    {"PodTTLAfterFinished", &FeatureGates::pod_ttl_after_finished},
    {"TTLAfterFinished", &FeatureGates::ttl_after_finished},
};

Error unknown_gate(std::string_view name) {
    std::string message = "unrecognized feature gate: " + std::string(name) + "; there are";
    for (const Gate& gate : kGates) message.append(&gate == kGates ? " " : ", ").append(gate.name);
    return {Code::kBadRequest, std::move(message)};
}

Result<> set_gate(std::string_view setting, FeatureGates& gates) {
    const std::size_t equals = setting.find('=');
    const std::string_view name = setting.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
    for (const Gate& gate : kGates) {
        if (gate.name != name) continue;
        if (value != "true" && value != "false")
            return Error{Code::kBadRequest,
                         "feature gate " + std::string(name) + " is true or false, not \"" + std::string(value) + '"'};
        gates.*gate.on = value == "true";
        return {};
    }
    return unknown_gate(name);
}

}  // namespace

Result<FeatureGates> parse_feature_gates(std::string_view text) {
    FeatureGates gates;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (const std::string_view setting = text.substr(0, comma); !setting.empty()) TRY(set_gate(setting, gates));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return gates;
}

}  // namespace muster::api
