#include "cli/client/queue_check.h"

#include <boost/json/array.hpp>
#include <ostream>

#include "api/kinds/kueue/kueue_names.h"
#include "cli/connection/resources.h"
#include "cli/queue/findings.h"
#include "cli/text/align.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr const char* kQueueGroup = "kueue.x-k8s.io";
constexpr const char* kConfigurationPath = "/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config";
constexpr const char* kConfigurationKey = "controller_manager_config.yaml";
constexpr int kExitUnknown = kExitBadUsage;

const Resource* find_resource(const std::vector<Resource>& all, std::string_view group, std::string_view plural) {
    for (const Resource& resource : all)
        if (resource.group == group && resource.plural == plural) return &resource;
    return nullptr;
}

std::string list_path(const Resource& resource) {
    return (resource.group.empty() ? "/api/" : "/apis/") + resource.api_version() + "/" + resource.plural;
}

std::string queued_query() { return "labelSelector=" + client::escape_query(api::kueue::kQueueNameLabel); }

struct CheckReport {
    QueueFindings findings;
    std::size_t seen = 0;
};

Result<> look_at_queues(Session& session, const std::vector<Resource>& all, CheckReport& report) {
    for (const char* plural : {"clusterqueues", "localqueues", "resourceflavors", "admissionchecks", "workloads"}) {
        const Resource* resource = find_resource(all, kQueueGroup, plural);
        if (!resource) continue;
        TRY(each_listed(session, list_path(*resource), "", [&](const json::object& object) {
            ++report.seen;
            find_in_object(resource->kind, object, report.findings);
        }));
    }
    return {};
}

Result<> look_at_work(Session& session, const std::vector<Resource>& all, CheckReport& report) {
    for (const auto& [group, plural] : {std::pair("batch", "jobs"), std::pair("", "pods")}) {
        const Resource* resource = find_resource(all, group, plural);
        if (!resource) continue;
        TRY(each_listed(session, list_path(*resource), queued_query(), [&](const json::object& object) {
            ++report.seen;
            find_in_object(resource->kind, object, report.findings);
        }));
    }
    for (const UnservedResource& unserved : unserved_resources()) {
        const Resource* resource = find_resource(all, unserved.group, unserved.plural);
        if (!resource) continue;
        TRY(each_listed(session, list_path(*resource), unserved.queued_only ? queued_query() : "",
                        [&](const json::object& object) {
                            ++report.seen;
                            report.findings.push_back(finding_of(unserved, resource->kind, object));
                        }));
    }
    return {};
}

void look_at_configuration(Session& session, CheckReport& report) {
    const Result<json::value> map = call(session, {.target = kConfigurationPath});
    if (!map.ok()) return;  // it is Kueue's own, and need not be there
    const json::value* data = map->is_object() ? map->get_object().if_contains("data") : nullptr;
    const json::value* text = data && data->is_object() ? data->get_object().if_contains(kConfigurationKey) : nullptr;
    if (!text || !text->is_string()) return;
    ++report.seen;
    find_in_configuration(text->get_string(), report.findings);
}

void print_report(const CheckReport& report, const QueueCheckOptions& options, Session& session) {
    if (report.findings.empty()) {
        session.terminal.out << "Muster serves all of the " << report.seen << " objects of queueing.\n";
        return;
    }
    std::string text = options.headers ? "KIND\tNAMESPACE\tNAME\tNOT SERVED\n" : "";
    for (const QueueFinding& row : report.findings)
        text += row.kind + "\t" + (row.namespace_.empty() ? "-" : row.namespace_) + "\t" +
                (row.name.empty() ? "-" : row.name) + "\t" + row.what + "\n";
    session.terminal.out << align_columns(text, 3);
}

}  // namespace

Result<> each_listed(Session& session, const std::string& target, const std::string& query,
                     const std::function<void(const json::object&)>& found) {
    std::string next;
    do {
        std::string full = target + "?" + client::kPageQuery + (query.empty() ? "" : "&" + query);
        if (!next.empty()) full += "&continue=" + client::escape_query(next);
        TRY_ASSIGN(const json::value page, call(session, {.target = full}));
        if (!page.is_object()) return Error{Code::kCorrupt, "the answer to " + target + " is not a list"};
        if (const json::value* items = page.get_object().if_contains("items"); items && items->is_array())
            for (const json::value& item : items->get_array())
                if (item.is_object()) found(item.get_object());
        next.clear();
        if (const json::value* metadata = page.get_object().if_contains("metadata"); metadata && metadata->is_object())
            if (const json::value* token = metadata->get_object().if_contains("continue"); token && token->is_string())
                next = std::string(token->get_string());
    } while (!next.empty());
    return {};
}

int run_queue_check(const QueueCheckOptions& options, Session& session) {
    const auto fail = [&](const Error& error) {
        tell(session, error);
        return kExitUnknown;
    };
    Result<ResourceMap> map = ResourceMap::fetch(session);
    if (!map.ok()) return fail(map.error());
    const std::vector<Resource> all = map->all();
    if (!find_resource(all, kQueueGroup, "workloads")) {
        session.terminal.out << "The cluster has no queueing kinds (kueue.x-k8s.io): there is nothing to serve yet.\n";
        return kExitDone;
    }
    CheckReport report;
    if (const Result<> looked = look_at_queues(session, all, report); !looked.ok()) return fail(looked.error());
    if (const Result<> looked = look_at_work(session, all, report); !looked.ok()) return fail(looked.error());
    look_at_configuration(session, report);
    print_report(report, options, session);
    return report.findings.empty() ? kExitDone : kExitFailed;
}

}  // namespace muster::cli
