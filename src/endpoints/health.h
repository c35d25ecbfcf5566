// The answers of /livez, /readyz and /healthz, as Kubernetes' components give them: "ok", or with ?verbose a line for
// each check. ?exclude=NAME leaves a check out, and /readyz/NAME asks one alone. Why a check failed is logged and not
// told: anyone may ask. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::endpoints {

// A check is quick and does not wait.
struct HealthCheck {
    std::string name;
    std::function<Result<>()> check;
};

struct HealthOutcome {
    std::string name;
    Result<> result;
};

struct HealthQuestion {
    std::string_view endpoint;  // "readyz"
    std::string_view check{};   // of /readyz/CHECK; empty: all
    bool verbose = false;
    std::vector<std::string> excluded{};  // sorted or not
};
// Of a target such as "/readyz?verbose&exclude=mirrors"; kNotFound when it is about something else.
Result<HealthQuestion> parse_health_target(std::string_view target);

struct HealthAnswer {
    int status;
    std::string body;
    bool operator==(const HealthAnswer&) const = default;
};
// 200 when all that are asked for pass, else 500; 404 for a check that there is not.
HealthAnswer answer_health(const HealthQuestion& question, const std::vector<HealthOutcome>& outcomes);

}  // namespace muster::endpoints
