#include "endpoints/health.h"

#include <algorithm>

namespace muster::endpoints {
namespace {

constexpr std::string_view kHealthEndpoints[] = {"livez", "readyz", "healthz"};

void read_parameter(std::string_view parameter, HealthQuestion& question) {
    const std::size_t sign = parameter.find('=');
    const std::string_view name = parameter.substr(0, sign);
    if (name == "verbose") question.verbose = true;
    if (name == "exclude" && sign != std::string_view::npos) question.excluded.emplace_back(parameter.substr(sign + 1));
}

bool is_excluded(const HealthQuestion& question, const std::string& name) {
    return std::ranges::find(question.excluded, name) != question.excluded.end();
}

HealthAnswer answer_one(const HealthQuestion& question, const std::vector<HealthOutcome>& outcomes) {
    const auto found =
        std::ranges::find_if(outcomes, [&](const HealthOutcome& outcome) { return outcome.name == question.check; });
    if (found == outcomes.end()) return {404, "404 page not found\n"};
    if (found->result.ok()) return {200, "ok"};
    return {500, "internal server error: " + found->name + " failed: reason withheld\n"};
}

}  // namespace

Result<HealthQuestion> parse_health_target(std::string_view target) {
    const Error none{Code::kNotFound, "there is nothing here"};
    if (!target.starts_with('/')) return none;
    const std::size_t mark = target.find('?');
    std::string_view path = target.substr(1, mark == std::string_view::npos ? mark : mark - 1);
    const std::size_t slash = path.find('/');
    HealthQuestion question{.endpoint = path.substr(0, slash)};
    if (std::ranges::find(kHealthEndpoints, question.endpoint) == std::ranges::end(kHealthEndpoints)) return none;
    if (slash != std::string_view::npos) question.check = path.substr(slash + 1);
    std::string_view query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    while (!query.empty()) {
        const std::size_t end = query.find('&');
        read_parameter(query.substr(0, end), question);
        query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    }
    return question;
}

HealthAnswer answer_health(const HealthQuestion& question, const std::vector<HealthOutcome>& outcomes) {
    if (!question.check.empty()) return answer_one(question, outcomes);
    std::string lines;
    bool passed = true;
    for (const HealthOutcome& outcome : outcomes) {
        if (is_excluded(question, outcome.name)) {
            lines += "[+]" + outcome.name + " excluded: ok\n";
        } else if (outcome.result.ok()) {
            lines += "[+]" + outcome.name + " ok\n";
        } else {
            passed = false;
            lines += "[-]" + outcome.name + " failed: reason withheld\n";
        }
    }
    if (passed && !question.verbose) return {200, "ok"};
    lines.append(question.endpoint).append(passed ? " check passed\n" : " check failed\n");
    return {passed ? 200 : 500, lines};
}

}  // namespace muster::endpoints
