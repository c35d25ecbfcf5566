// The CustomResourceDefinitions of the queueing kinds, from their declarations.
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/kueue/v1beta1.h"
#include "manifests/definitions/structural_schema.h"
#include "manifests/objects.h"

namespace muster::manifests {
namespace {

namespace queue = api::kueue;
namespace older = api::kueue::v1beta1;

struct PrinterColumn {
    const char* name;
    const char* type;
    const char* path;
    int priority = 0;
};

// A kind of which objects are stored, and its older version.
struct Definition {
    const api::KindInfo& stored;
    const api::KindInfo& old;
    bool converted;  // by the webhook; else the versions differ in nothing that is kept
    std::vector<PrinterColumn> columns;
    std::vector<PrinterColumn> old_columns{};  // where they differ
};

constexpr PrinterColumn kAge{"Age", "date", ".metadata.creationTimestamp"};

// The columns are those of the server's own tables (server/table/queue_rows.cc).
const std::vector<Definition>& definitions() {
    using api::kind_info;
    static const std::vector<PrinterColumn> local{
        {"ClusterQueue", "string", ".spec.clusterQueue"},
        {"Pending Workloads", "integer", ".status.pendingWorkloads"},
        {"Admitted Workloads", "integer", ".status.admittedWorkloads"},
    };
    static const std::vector<PrinterColumn> cluster{
        {"Cohort", "string", ".spec.cohortName"},
        {"Strategy", "string", ".spec.queueingStrategy", 1},
        {"Pending Workloads", "integer", ".status.pendingWorkloads"},
        {"Admitted Workloads", "integer", ".status.admittedWorkloads", 1},
    };
    static const std::vector<PrinterColumn> workload{
        {"Queue", "string", ".spec.queueName"},
        {"Reserved in", "string", ".status.admission.clusterQueue"},
        {"Admitted", "string", ".status.conditions[?(@.type=='Admitted')].status"},
        {"Finished", "string", ".status.conditions[?(@.type=='Finished')].status"},
        kAge,
    };
    std::vector<PrinterColumn> old_cluster = cluster;
    old_cluster.front().path = ".spec.cohort";
    static const std::vector<Definition> all{
        {kind_info<queue::AdmissionCheck>(), kind_info<older::AdmissionCheck>(), false, {kAge}},
        {kind_info<queue::ClusterQueue>(), kind_info<older::ClusterQueue>(), true, cluster, old_cluster},
        {kind_info<queue::Cohort>(), kind_info<older::Cohort>(), false, {kAge}},
        {kind_info<queue::LocalQueue>(), kind_info<older::LocalQueue>(), true, local},
        {kind_info<queue::ResourceFlavor>(), kind_info<older::ResourceFlavor>(), false, {kAge}},
        {kind_info<queue::Workload>(), kind_info<older::Workload>(), true, workload},
        {kind_info<queue::WorkloadPriorityClass>(),
         kind_info<older::WorkloadPriorityClass>(),
         false,
         {{"Value", "integer", ".value"}}},
    };
    return all;
}

Array column_trees(const std::vector<PrinterColumn>& columns) {
    Array all;
    for (const PrinterColumn& column : columns) {
        Object tree{{"name", column.name}, {"type", column.type}, {"jsonPath", column.path}};
        if (column.priority != 0) tree["priority"] = column.priority;
        all.push_back(tree);
    }
    return all;
}

Object version_tree(const api::KindInfo& kind, bool stored, const std::vector<PrinterColumn>& columns) {
    Object version{{"name", kind.version},
                   {"served", true},
                   {"storage", stored},
                   {"schema", Object{{"openAPIV3Schema", structural_schema(kind)}}},
                   {"additionalPrinterColumns", column_trees(columns)}};
    if (kind.type().find("status")) version["subresources"] = Object{{"status", Object{}}};
    if (!stored) {
        version["deprecated"] = true;
        version["deprecationWarning"] = std::string(kind.group) + "/" + kind.version + " " + kind.kind +
                                        " is the older version; use " + std::string(kind.group) + "/" + queue::kVersion;
    }
    return version;
}

Array words(std::string_view text) {
    Array all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return text;
}

Object definition_tree(const Definition& definition, const Plan& plan) {
    const api::KindInfo& kind = definition.stored;
    Object made = new_object("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                             std::string(kind.options.plural) + "." + kind.group);
    Object names{{"kind", kind.kind},
                 {"listKind", std::string(kind.kind) + "List"},
                 {"plural", kind.options.plural},
                 {"singular", lower(kind.kind)},
                 {"shortNames", words(kind.options.short_names)}};
    if (*kind.options.categories) names["categories"] = words(kind.options.categories);
    Array versions;
    if (plan.older_version)
        versions.push_back(version_tree(definition.old, false,
                                        definition.old_columns.empty() ? definition.columns : definition.old_columns));
    versions.push_back(version_tree(kind, true, definition.columns));
    Object spec{{"group", kind.group},
                {"names", names},
                {"scope", kind.options.namespaced ? "Namespaced" : "Cluster"},
                {"versions", versions}};
    if (plan.older_version && definition.converted) {
        spec["conversion"] = webhook::conversion_spec(webhook_options(plan));
        if (plan.certificates == Certificates::kCertManager)
            made["metadata"].as_object()["annotations"] =
                Object{{"cert-manager.io/inject-ca-from", webhook_options(plan).inject_authority_from}};
    }
    made["spec"] = spec;
    return made;
}

}  // namespace

Objects definition_objects(const Plan& plan) {
    Objects all;
    for (const Definition& definition : definitions()) all.push_back(definition_tree(definition, plan));
    return all;
}

}  // namespace muster::manifests
