#include "cli/client/queue_handover.h"

#include <boost/json/serialize.hpp>
#include <ostream>

#include "api/codec/dom.h"
#include "api/kinds/coordination.h"
#include "cli/client/queue_check.h"
#include "cli/connection/resources.h"
#include "cli/queue/managers.h"
#include "client/lease_claim.h"
#include "webhook/objects/names.h"

namespace muster::cli {
namespace {

namespace json = boost::json;
using api::coordination::Lease;

constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/";
constexpr const char* kAdmissionApi = "/apis/admissionregistration.k8s.io/v1/";
constexpr const char* kDefinitionsApi = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";
constexpr int kTriesMax = 5;

std::string text_under(const json::object& object, std::string_view first, std::string_view second) {
    const json::value* inner = object.if_contains(first);
    const json::value* value = inner && inner->is_object() ? inner->get_object().if_contains(second) : nullptr;
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Who leads, or nothing. A lease that is not renewed any more is held by none.
Result<std::string> find_leader(const HandoverOptions& options, Session& session) {
    const Result<json::value> found =
        call(session, {.target = kLeases + options.lease_namespace + "/leases/" + options.lease_name});
    if (!found.ok() && found.error().code == Code::kNotFound) return std::string();
    if (!found.ok()) return found.error();
    Lease lease;
    TRY_ASSIGN([[maybe_unused]] const api::Decoded decoded, api::decode_dom(Lease::info(), &lease, *found));
    const Text holder = client::holder_of(lease);
    if (holder.empty() || !lease.spec.renew_time) return std::string();
    const Duration life = std::chrono::seconds(lease.spec.lease_duration_seconds.value_or(0));
    return lease.spec.renew_time->instant() + life < session.now() ? std::string() : holder.str();
}

// The managers of one Workload; whether something was to be changed. A Workload that has changed meanwhile is read
// again: a resource version in the patch says so.
Result<bool> hand_over(Session& session, const std::string& path, json::object workload, bool dry_run) {
    for (int tried = 0;; ++tried) {
        const json::value* metadata = workload.if_contains("metadata");
        const json::value* fields =
            metadata && metadata->is_object() ? metadata->get_object().if_contains("managedFields") : nullptr;
        if (!fields || !fields->is_array()) return false;
        std::optional<json::array> given = give_to_kueue(fields->get_array());
        if (!given) return false;
        if (dry_run) return true;
        const json::object patch{
            {"metadata", json::object{{"resourceVersion", text_under(workload, "metadata", "resourceVersion")},
                                      {"managedFields", *std::move(given)}}}};
        const Result<json::value> done = call(session, {.method = "PATCH",
                                                        .target = path,
                                                        .content_type = "application/merge-patch+json",
                                                        .body = json::serialize(patch)});
        if (done.ok()) return true;
        if (done.error().code == Code::kNotFound) return false;
        if (done.error().code != Code::kConflict || tried == kTriesMax) return done.error();
        TRY_ASSIGN(json::value fresh, call(session, {.target = path}));
        if (!fresh.is_object()) return Error{Code::kCorrupt, "the answer to " + path + " is not an object"};
        workload = std::move(fresh.get_object());
    }
}

bool exists(Session& session, const std::string& target) { return call(session, {.target = target}).ok(); }

// The names of Muster's webhook configurations that are there: while they are and no webhook answers, no Workload can
// be written.
std::string find_configurations(Session& session) {
    std::string names;
    for (const char* plural : {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"})
        if (exists(session, std::string(kAdmissionApi) + plural + "/" + webhook::kConfigurationName))
            names += (names.empty() ? "" : " and ") + std::string(plural) + "/" + webhook::kConfigurationName;
    return names;
}

// What is Muster's and would still stand in the way.
std::vector<std::string> find_remains(const HandoverOptions& options, Session& session) {
    std::vector<std::string> remains;
    if (exists(session, std::string(kAdmissionApi) + "mutatingadmissionpolicies/muster-queue-pods"))
        remains.emplace_back(
            "delete the admission policies muster-queue-… and their bindings: Kueue's own webhooks gate");
    for (const char* plural : {"workloads", "clusterqueues", "localqueues", "cohorts"}) {
        const Result<json::value> found =
            call(session, {.target = std::string(kDefinitionsApi) + plural + ".kueue.x-k8s.io"});
        if (found.ok() && json::serialize(*found).find("\"" + webhook::Identity().service + "\"") != std::string::npos)
            remains.push_back(std::string("point spec.conversion of customresourcedefinition/") + plural +
                              ".kueue.x-k8s.io to Kueue's service (apply Kueue's manifests)");
    }
    remains.push_back("keep the Deployment in " + options.lease_namespace +
                      " at 0 replicas, or without queue among "
                      "--controllers");
    remains.emplace_back("start Kueue: apply its manifests, or scale its Deployment up");
    return remains;
}

}  // namespace

int run_queue_handover(const HandoverOptions& options, Session& session) {
    const Result<std::string> leader = options.ignore_lease ? std::string() : find_leader(options, session);
    if (!leader.ok()) return tell(session, leader.error());
    if (!leader->empty())
        return tell(session,
                    {Code::kConflict, "Muster leads (" + *leader + " holds the lease " + options.lease_namespace + "/" +
                                          options.lease_name +
                                          "): scale it to 0 and try again. If it is to go on without queue among "
                                          "--controllers, add --ignore-lease"});
    if (const std::string names = find_configurations(session); !names.empty())
        return tell(session,
                    {Code::kConflict, names + " must be deleted first: no webhook of Muster answers any more"});
    const Result<ResourceMap> map = ResourceMap::fetch(session);
    if (!map.ok()) return tell(session, map.error());
    const Result<const Resource*> workloads = map->find("workloads.kueue.x-k8s.io");
    if (!workloads.ok()) return tell(session, workloads.error());
    std::size_t seen = 0;
    std::size_t given = 0;
    std::optional<Error> failure;
    const Result<> listed = each_listed(session, (*workloads)->path(""), "", [&](const json::object& workload) {
        if (failure) return;
        ++seen;
        const std::string path =
            (*workloads)->path(text_under(workload, "metadata", "namespace"), text_under(workload, "metadata", "name"));
        const Result<bool> done = hand_over(session, path, workload, options.dry_run);
        if (!done.ok())
            failure = done.error();
        else if (*done)
            ++given;
    });
    if (!listed.ok()) return tell(session, listed.error());
    if (failure) return tell(session, *failure);
    session.terminal.out << (options.dry_run ? "The fields of " : "Kueue manages the fields of ") << given << " of "
                         << seen << " Workloads" << (options.dry_run ? " would be given to Kueue.\n" : " now.\n")
                         << "What remains to be done:\n";
    for (const std::string& step : find_remains(options, session)) session.terminal.out << "  - " << step << '\n';
    return kExitDone;
}

}  // namespace muster::cli
