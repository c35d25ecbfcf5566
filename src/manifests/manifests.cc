#include "manifests/manifests.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "api/codec/yaml_encode.h"

namespace muster::manifests {
namespace {

bool is_always(const Plan&) { return true; }
bool is_for_cluster(const Plan& plan) { return !plan.is_local(); }

struct Part {
    const char* name;
    Objects (*make)(const Plan&);
    bool (*is_wanted)(const Plan&);
    const char* missing;  // why a plan may not have it
};

// Definitions come before what uses them, the service account before its pods, the webhook's service before its
// configurations.
constexpr Part kParts[] = {
    {"namespace", namespace_objects, is_for_cluster, "--only-namespace is given"},
    {"crds", definition_objects, [](const Plan& plan) { return plan.queues(); }, "queue is not among --controllers"},
    {"rbac", role_objects, is_always, ""},
    {"flow", flow_objects, is_for_cluster, "--only-namespace is given"},
    {"network", network_objects, is_always, ""},
    {"deployment", process_objects, is_always, ""},
    {"admission", admission_objects, [](const Plan& plan) { return plan.has_webhook() || plan.has_policies(); },
     "it needs --admission=policies, or queue among --controllers and --admission=webhook"},
    {"monitoring", monitoring_objects, [](const Plan& plan) { return plan.settings.monitoring; },
     "--monitoring is not given"},
};

}  // namespace

std::vector<std::string> part_names() {
    std::vector<std::string> names;
    for (const Part& part : kParts) names.emplace_back(part.name);
    return names;
}

Result<Objects> make_objects(const Plan& plan, const std::vector<std::string>& parts) {
    const auto is_named = [&](const Part& part) { return std::count(parts.begin(), parts.end(), part.name) > 0; };
    for (const std::string& name : parts) {
        const auto* known =
            std::find_if(std::begin(kParts), std::end(kParts), [&](const Part& part) { return part.name == name; });
        std::string all;
        for (const Part& part : kParts) all += (all.empty() ? "" : ", ") + std::string(part.name);
        if (known == std::end(kParts))
            return Error{Code::kBadRequest, "there is no part '" + name + "'; parts are " + all};
        // Asking for it by name is asking for it.
        const bool on_request = std::string_view(known->name) == "monitoring";
        if (!known->is_wanted(plan) && !on_request)
            return Error{Code::kBadRequest, "there is no part '" + name + "' here: " + known->missing};
    }
    Objects all;
    for (const Part& part : kParts) {
        if (parts.empty() ? !part.is_wanted(plan) : !is_named(part)) continue;
        Objects made = part.make(plan);
        std::move(made.begin(), made.end(), std::back_inserter(all));
    }
    return all;
}

std::string format_objects(const Objects& objects) {
    std::string out;
    for (const Object& object : objects) {
        if (!out.empty()) out += "---\n";
        api::append_yaml(object, out);
    }
    return out;
}

std::string format_list(const Objects& objects) {
    Array items;
    for (const Object& object : objects) items.push_back(object);
    const Object list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}};
    return api::indent_json(boost::json::serialize(list)) + "\n";
}

}  // namespace muster::manifests
