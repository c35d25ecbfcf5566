#include "assembly/cluster/start_rules.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <charconv>

#include "client/lease_claim.h"

namespace muster {
namespace {

namespace json = boost::json;

constexpr ServerVersion kOldest{1, 32};
// A clock that differs from ours must not hide a Kueue.
constexpr Duration kClockSkew = 30s;
constexpr std::int32_t kLeaseSecondsDefault = 15;

Error bad_start(std::string message) { return {Code::kBadRequest, std::move(message)}; }

std::string_view text_under(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string_view(value->as_string()) : std::string_view();
}

// The digits at the beginning: "36+" is 36.
int leading_number(std::string_view text) {
    int number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return code == std::errc() && end != text.data() ? number : -1;
}

std::string format_version(const ServerVersion& version) {
    return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

Text namespace_for(const Permission& permission, const AccessScope& scope) {
    switch (permission.reach) {
        case Reach::kCluster: return {};
        case Reach::kWork: return scope.namespace_;
        case Reach::kHome: return scope.home;
        case Reach::kOther: return permission.namespace_;
    }
    return {};
}

void add_questions(const Permission& permission, const AccessScope& scope, std::string_view name,
                   std::vector<AccessQuestion>& out) {
    for (const std::string_view verb : permission.verbs) {
        AccessQuestion question;
        question.optional = permission.optional;
        const std::size_t slash = permission.resource.find('/');
        question.attributes.group = permission.group;
        question.attributes.resource = permission.resource.substr(0, slash);
        if (slash != std::string_view::npos) question.attributes.subresource = permission.resource.substr(slash + 1);
        question.attributes.verb = verb;
        question.attributes.name = name == kLeaseNamePlaceholder ? Text(scope.lease) : Text(name);
        question.attributes.namespace_ = namespace_for(permission, scope);
        out.push_back(std::move(question));
    }
}

bool is_renewed(const api::coordination::Lease& lease, Instant now) {
    if (client::holder_of(lease).empty() || !lease.spec.renew_time) return false;
    const auto span = std::chrono::seconds(lease.spec.lease_duration_seconds.value_or(kLeaseSecondsDefault));
    return now - lease.spec.renew_time->instant() <= span + kClockSkew;
}

}  // namespace

Result<ServerVersion> parse_server_version(std::string_view text) {
    boost::system::error_code failed;
    const json::value document = json::parse(text, failed);
    const json::object* object = failed ? nullptr : document.if_object();
    const ServerVersion version{object ? leading_number(text_under(*object, "major")) : -1,
                                object ? leading_number(text_under(*object, "minor")) : -1};
    if (version.major < 0 || version.minor < 0) return bad_start("the server does not say what version it is");
    return version;
}

Result<> check_server_version(const ServerVersion& version) {
    const bool old = version.major < kOldest.major || (version.major == kOldest.major && version.minor < kOldest.minor);
    if (!old) return {};
    return bad_start("the server is Kubernetes " + format_version(version) + ", and " + format_version(kOldest) +
                     " is the oldest that is supported: older servers drop spec.managedBy of Jobs and judge the status "
                     "of Jobs by other rules");
}

std::vector<AccessQuestion> access_questions(const std::vector<Permission>& permissions, const AccessScope& scope) {
    std::vector<AccessQuestion> questions;
    for (const Permission& permission : permissions) {
        if (permission.names.empty()) add_questions(permission, scope, {}, questions);
        for (const std::string_view name : permission.names) add_questions(permission, scope, name, questions);
    }
    return questions;
}

std::string describe_access(const AccessQuestion& question) {
    const api::authorization::ResourceAttributes& asked = question.attributes;
    std::string text = asked.verb.str() + ' ' + asked.resource.str();
    if (!asked.group.empty()) text += '.' + asked.group.str();
    if (!asked.subresource.empty()) text += '/' + asked.subresource.str();
    if (!asked.name.empty()) text += " \"" + asked.name.str() + '"';
    if (!asked.namespace_.empty()) text += " in namespace " + asked.namespace_.str();
    return text;
}

Result<> check_access_answers(const std::vector<AccessQuestion>& refused) {
    std::string lines;
    for (const AccessQuestion& question : refused)
        if (!question.optional) lines += "\n  " + describe_access(question);
    if (lines.empty()) return {};
    return bad_start("these permissions are missing (`muster manifests` prints roles that have them):" + lines);
}

std::vector<std::string> missing_queue_resources(const std::optional<std::string>& discovery) {
    static constexpr const char* kNeeded[] = {"workloads",       "localqueues",     "clusterqueues",          "cohorts",
                                              "resourceflavors", "admissionchecks", "workloadpriorityclasses"};
    std::vector<std::string> there;
    boost::system::error_code failed;
    const json::value document = discovery ? json::parse(*discovery, failed) : json::value();
    const json::value* resources = document.is_object() ? document.as_object().if_contains("resources") : nullptr;
    if (resources && resources->is_array())
        for (const json::value& resource : resources->as_array())
            if (resource.is_object()) there.emplace_back(text_under(resource.as_object(), "name"));
    std::vector<std::string> missing;
    for (const char* name : kNeeded)
        if (std::find(there.begin(), there.end(), name) == there.end()) missing.emplace_back(name);
    return missing;
}

Result<> check_queue_resources(const std::vector<std::string>& missing) {
    if (missing.empty()) return {};
    std::string names;
    for (const std::string& name : missing) names.append(names.empty() ? "" : ", ").append(name);
    return bad_start("the server does not have these resources of kueue.x-k8s.io/v1beta2, which queue needs: " + names +
                     "; apply their CustomResourceDefinitions first (`muster manifests crds` prints them, or Kueue's "
                     "own), or leave queue out of --controllers");
}

Result<> check_no_kueue(const KueueSigns& signs, Instant now, bool force) {
    if (force) return {};
    if (signs.lease && is_renewed(*signs.lease, now))
        return bad_start("Kueue is at work: " + client::holder_of(*signs.lease).str() + " renews the lease " +
                         std::string(kKueueNamespace) + "/" + std::string(kKueueLease) +
                         ", and two programs must not admit the same Workloads; stop Kueue first, leave queue out of "
                         "--controllers, or say --force-queue");
    if (signs.webhooks.empty()) return {};
    std::string names;
    for (const std::string& name : signs.webhooks) names.append(names.empty() ? "" : ", ").append(name);
    return bad_start("Kueue's webhooks are still there (" + names +
                     "): pods and Jobs would wait for it; delete them when Kueue is stopped, or say --force-queue");
}

}  // namespace muster
