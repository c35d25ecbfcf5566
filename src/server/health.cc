#include "server/health.h"

#include <algorithm>

#include "server/registry/kind_registry.h"

namespace muster::server {
namespace {

struct Check {
    const char* name;
    bool good;
};

std::vector<Check> checks_of(std::string_view endpoint, bool ready) {
    // That this is answered at all is what ping says; the store ends the process when it cannot go on.
    std::vector<Check> checks = {{"ping", true}, {"store", true}};
    if (endpoint == "readyz") checks.push_back({"started", ready});
    return checks;
}

}  // namespace

std::optional<Answer> answer_health(const Target& target, bool ready) {
    const std::string_view endpoint = target.segments.empty() ? std::string_view() : target.segments[0];
    if (endpoint != "healthz" && endpoint != "livez" && endpoint != "readyz") return std::nullopt;
    std::vector<Check> checks = checks_of(endpoint, ready);
    if (target.segments.size() > 1) {
        const auto named = std::find_if(checks.begin(), checks.end(),
                                        [&](const Check& check) { return check.name == target.segments[1]; });
        if (named == checks.end() || target.segments.size() > 2) return answer_text(404, "404 page not found\n");
        checks = {*named};
    }
    const std::vector<std::string> excluded = target.query.all("exclude");
    std::string lines;
    bool good = true;
    for (const Check& check : checks) {
        if (std::find(excluded.begin(), excluded.end(), check.name) != excluded.end()) {
            lines.append("[+]").append(check.name).append(" excluded: ok\n");
            continue;
        }
        good = good && check.good;
        lines.append(check.good ? "[+]" : "[-]").append(check.name);
        lines.append(check.good ? " ok\n" : " failed: reason withheld\n");
    }
    if (good && !target.query.has("verbose")) return answer_text(200, "ok");
    lines.append(endpoint).append(good ? " check passed\n" : " check failed\n");
    return answer_text(good ? 200 : 500, std::move(lines));
}

Answer answer_paths(const KindRegistry& kinds) {
    std::vector<std::string> paths = {"/.well-known/openid-configuration",
                                      "/api",
                                      "/api/v1",
                                      "/apis",
                                      "/healthz",
                                      "/livez",
                                      "/metrics",
                                      "/openapi/v3",
                                      "/openid/v1/jwks",
                                      "/readyz",
                                      "/version"};
    for (const ServedVersion& version : kinds.versions()) {
        if (version.group.empty()) continue;
        if (kinds.find_group(version.group) == &version) paths.push_back("/apis/" + std::string(version.group));
        paths.push_back("/" + version.path());
    }
    std::sort(paths.begin(), paths.end());
    std::string json = "{\"paths\":[";
    for (std::size_t i = 0; i < paths.size(); ++i) json.append(i ? ",\"" : "\"").append(paths[i]).append("\"");
    return {200, "application/json", json + "]}\n"};
}

}  // namespace muster::server
