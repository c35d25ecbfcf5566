#include "server/access/rbac/aggregation.h"

#include <algorithm>

#include "api/selector/label_selector.h"
#include "server/kind_object/kind_object.h"

namespace muster::server {
namespace {

using api::rbac::ClusterRole;
using api::rbac::PolicyRule;

struct Aggregated {
    const ClusterRole* role;
    std::vector<api::LabelSelector> selectors;
};

std::vector<Aggregated> find_aggregated(const std::vector<const ClusterRole*>& sorted) {
    std::vector<Aggregated> found;
    for (const ClusterRole* role : sorted) {
        if (!role->aggregation_rule) continue;
        Aggregated aggregated{role, {}};
        for (const api::meta::LabelSelector& selector : role->aggregation_rule->cluster_role_selectors) {
            Result<api::LabelSelector> parsed = api::LabelSelector::from(&selector);
            if (parsed.ok()) aggregated.selectors.push_back(std::move(*parsed));
        }
        found.push_back(std::move(aggregated));
    }
    return found;
}

}  // namespace

AggregatedRules decide_aggregation(const std::vector<const ClusterRole*>& roles) {
    std::vector<const ClusterRole*> sorted = roles;
    std::sort(sorted.begin(), sorted.end(),
              [](const ClusterRole* a, const ClusterRole* b) { return a->metadata.name < b->metadata.name; });
    const std::vector<Aggregated> aggregated = find_aggregated(sorted);
    AggregatedRules decided;
    const auto rules_of = [&](const ClusterRole* role) -> const List<PolicyRule>& {
        const auto found = decided.find(role->metadata.name.str());
        return found == decided.end() ? role->rules : found->second;
    };
    // Each round carries rules one step further; as many rounds as there are roles reach everywhere.
    bool changed = true;
    for (std::size_t round = 0; changed && round <= aggregated.size(); ++round) {
        changed = false;
        for (const Aggregated& each : aggregated) {
            std::vector<PolicyRule> rules;
            for (const api::LabelSelector& selector : each.selectors)
                for (const ClusterRole* from : sorted) {
                    if (from->metadata.name == each.role->metadata.name || !selector.matches(from->metadata.labels))
                        continue;
                    for (const PolicyRule& rule : rules_of(from))
                        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
                }
            List<PolicyRule> settled(std::move(rules));
            if (settled == rules_of(each.role)) continue;
            decided[each.role->metadata.name.str()] = std::move(settled);
            changed = true;
        }
    }
    std::erase_if(decided, [&](const auto& entry) {
        return std::any_of(sorted.begin(), sorted.end(), [&](const ClusterRole* role) {
            return role->metadata.name == entry.first && role->rules == entry.second;
        });
    });
    return decided;
}

void aggregate_stored_roles(store::Store& store) {
    const api::KindInfo& kind = api::kind_info<ClusterRole>();
    const store::Listing listing = store.list(list_prefix(kind, "")).value();
    std::vector<const ClusterRole*> roles;
    for (const store::Stored& stored : listing.items)
        roles.push_back(&static_cast<const TypedObject<ClusterRole>&>(*stored.object).value);
    const AggregatedRules decided = decide_aggregation(roles);
    for (const ClusterRole* role : roles) {
        const auto found = decided.find(role->metadata.name.str());
        if (found == decided.end()) continue;
        auto draft = std::make_shared<TypedObject<ClusterRole>>(*role);
        draft->value.rules = found->second;
        // The list is of this very moment, so nothing can be in the way.
        (void)store.update(object_key(kind, "", role->metadata.name), std::move(draft)).value();
    }
}

os::Task<void> keep_roles_aggregated(store::Store& store) {
    const std::string prefix = list_prefix(api::kind_info<ClusterRole>(), "");
    for (;;) {
        Result<std::unique_ptr<store::Watch>> watch = store.watch(prefix, store.revision(), store::Visibility::kAtOnce);
        CHECK(watch.ok());
        aggregate_stored_roles(store);
        for (;;) {
            Result<const store::Event*> next = (*watch)->next();
            if (!next.ok() && next.error().code == Code::kCancelled) co_return;
            if (!next.ok()) break;
            if (!*next) {
                co_await (*watch)->ready();
                continue;
            }
            // One look serves all that has happened so far; what it writes brings us here again, to find nothing.
            bool more = true;
            while (more) {
                next = (*watch)->next();
                more = next.ok() && *next;
            }
            if (!next.ok()) break;
            aggregate_stored_roles(store);
        }
    }
}

}  // namespace muster::server
