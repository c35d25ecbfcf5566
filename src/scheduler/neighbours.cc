#include "scheduler/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/node_rules.h"

namespace muster::scheduler {
namespace {

using api::core::Pod;

// A pod that must be near others would also have them near it: counts as a small wish of theirs.
constexpr std::int64_t kRequiredAffinityWish = 1;

bool matches_all(const std::vector<PodTerm>& terms, const Pod& pod, const NamespaceLabels& known) {
    return std::all_of(terms.begin(), terms.end(), [&](const PodTerm& term) { return term.matches(pod, known); });
}

}  // namespace

Domains find_domains(const std::vector<const NodeInfo*>& nodes, const Text& topology_key) {
    Domains domains;
    domains.of_node.reserve(nodes.size());
    std::unordered_map<Text, int> numbers;
    for (const NodeInfo* node : nodes) {
        const Text* value = node->node->metadata.labels.find(topology_key);
        domains.of_node.push_back(value ? numbers.try_emplace(*value, static_cast<int>(numbers.size())).first->second
                                        : -1);
    }
    domains.count = static_cast<int>(numbers.size());
    return domains;
}

const Domains& DomainCache::of(const Text& topology_key) {
    std::unique_ptr<Domains>& known = known_[topology_key];
    if (!known) known = std::make_unique<Domains>(find_domains(nodes_, topology_key));
    return *known;
}

Neighbours::Neighbours(const Snapshot& snapshot, DomainCache& domains, const Pod& pod, const PodShape& shape)
    : snapshot_(snapshot), domains_(domains), pod_(pod), terms_(compile_pod_terms(shape, pod)) {
    add_spreads(shape);
    const auto near = [&](const PodTerm& term) {
        const Domains& of = domains_.of(term.topology_key);
        return Near{&term, &of, std::vector<std::int64_t>(static_cast<std::size_t>(of.count))};
    };
    for (const PodTerm& term : terms_.affinity) affinity_.push_back(near(term));
    for (const PodTerm& term : terms_.anti_affinity) anti_affinity_.push_back(near(term));
    self_matches_ = matches_all(terms_.affinity, pod, snapshot.namespaces());
    count_all();
}

void Neighbours::add_spreads(const PodShape& shape) {
    const auto& nodes = snapshot_.nodes();
    // A node that lacks the label of one constraint is left out of all of them.
    std::vector<char> labelled(nodes.size(), 1);
    for (const auto& constraint : shape.spread) {
        if (!(constraint.when_unsatisfiable == "DoNotSchedule")) continue;
        const Domains& of = domains_.of(constraint.topology_key);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (of.of_node[i] < 0) labelled[i] = 0;
    }
    for (const auto& constraint : shape.spread) {
        Spread spread;
        spread.selector = spread_selector(constraint, pod_);
        spread.domains = &domains_.of(constraint.topology_key);
        spread.hard = constraint.when_unsatisfiable == "DoNotSchedule";
        spread.skew_max = constraint.max_skew;
        spread.domains_min = constraint.min_domains.value_or(1);
        spread.counts_self = spread.selector.matches(pod_.metadata.labels);
        spread.counts.resize(static_cast<std::size_t>(spread.domains->count));
        spread.present.resize(spread.counts.size());
        has_soft_spread_ |= !spread.hard;
        const bool by_affinity = !constraint.node_affinity_policy || *constraint.node_affinity_policy == "Honor";
        const bool by_taints = constraint.node_taints_policy && *constraint.node_taints_policy == "Honor";
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const int domain = spread.domains->of_node[i];
            const bool counted = domain >= 0 && labelled[i] &&
                                 (!by_affinity || matches_node_affinity(shape, *nodes[i]->node)) &&
                                 (!by_taints || tolerates_hard_taints(shape.tolerations, *nodes[i]->node));
            spread.counted.push_back(counted);
            if (!counted || spread.present[static_cast<std::size_t>(domain)]) continue;
            spread.present[static_cast<std::size_t>(domain)] = 1;
            ++spread.present_count;
        }
        spreads_.push_back(std::move(spread));
    }
}

// Own rules look at every pod; rules of others are known by the sets of pods that have them.
void Neighbours::count_all() {
    const bool own = !spreads_.empty() || !affinity_.empty() || !anti_affinity_.empty() || !terms_.wishes.empty();
    for (const NodeInfo* node : snapshot_.nodes()) {
        if (!own) break;
        for (const PlacedPod& placed : node->pods) count({*placed.pod, nullptr}, node->index, 1);
    }
    for (const auto& [key, set] : snapshot_.term_sets())
        for (const auto& [node, pods] : set->places)
            if (node->node) count_others_terms(set->terms, node->index, pods);
}

void Neighbours::count(const Neighbour& neighbour, std::size_t node, int by) {
    const Pod& other = neighbour.pod;
    const NamespaceLabels& known = snapshot_.namespaces();
    // Terminating pods no longer count for spreading: their place is about to be free.
    const bool same_namespace = other.metadata.namespace_ == pod_.metadata.namespace_;
    for (Spread& spread : spreads_) {
        const bool ending = other.metadata.deletion_timestamp.has_value();
        if (!same_namespace || ending || !spread.counted[node] || !spread.selector.matches(other.metadata.labels))
            continue;
        spread.counts[static_cast<std::size_t>(spread.domains->of_node[node])] += by;
        spread.least_known = false;
    }
    const auto add = [&](Near& near) {
        const int domain = near.domains->of_node[node];
        if (domain >= 0) near.counts[static_cast<std::size_t>(domain)] += by;
    };
    if (!affinity_.empty() && matches_all(terms_.affinity, other, known)) {
        affinity_matches_ += by;
        for (Near& near : affinity_) add(near);
    }
    for (Near& near : anti_affinity_)
        if (near.term->matches(other, known)) add(near);
    for (const PodTerm& wish : terms_.wishes)
        if (wish.matches(other, known)) add_to(wishes_, wish.topology_key, node, by * wish.weight);
    if (neighbour.terms) count_others_terms(*neighbour.terms, node, by);
}

void Neighbours::count_others_terms(const PodTerms& terms, std::size_t node, int by) {
    const NamespaceLabels& known = snapshot_.namespaces();
    for (const PodTerm& term : terms.anti_affinity)
        if (term.matches(pod_, known)) add_to(blocked_, term.topology_key, node, by);
    for (const PodTerm& term : terms.affinity)
        if (term.matches(pod_, known)) add_to(wishes_, term.topology_key, node, by * kRequiredAffinityWish);
    for (const PodTerm& term : terms.wishes)
        if (term.matches(pod_, known)) add_to(wishes_, term.topology_key, node, by * term.weight);
}

void Neighbours::add_to(ByTopology& side, const Text& key, std::size_t node, std::int64_t by) {
    auto found = side.find(key);
    if (found == side.end()) {
        const Domains& of = domains_.of(key);
        found =
            side.emplace(key, Near{nullptr, &of, std::vector<std::int64_t>(static_cast<std::size_t>(of.count))}).first;
    }
    const int domain = found->second.domains->of_node[node];
    if (domain >= 0) found->second.counts[static_cast<std::size_t>(domain)] += by;
}

std::int64_t Neighbours::Spread::least_count() const {
    if (least_known) return least;
    least_known = true;
    least = present_count < domains_min ? 0 : std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (present[i]) least = std::min(least, counts[i]);
    return least;
}

Reason Neighbours::check_spread(std::size_t node) const {
    for (const Spread& spread : spreads_) {
        if (!spread.hard) continue;
        const int domain = spread.domains->of_node[node];
        if (domain < 0) return Reason::kSpreadLabel;
        const std::int64_t here = spread.counts[static_cast<std::size_t>(domain)];
        if (here + (spread.counts_self ? 1 : 0) - spread.least_count() > spread.skew_max) return Reason::kSpread;
    }
    return Reason::kNone;
}

bool Neighbours::affinity_holds(std::size_t node) const {
    bool all_near = true;
    for (const Near& near : affinity_) {
        const int domain = near.domains->of_node[node];
        if (domain < 0) return false;
        all_near &= near.counts[static_cast<std::size_t>(domain)] > 0;
    }
    // The first pod of a group with affinity to itself has no other pod to be near.
    return all_near || (affinity_matches_ == 0 && self_matches_);
}

Reason Neighbours::check(std::size_t node) const {
    const Reason spread = check_spread(node);
    if (spread != Reason::kNone) return spread;
    if (!affinity_holds(node)) return Reason::kPodAffinity;
    const auto taken = [&](const Near& near) {
        const int domain = near.domains->of_node[node];
        return domain >= 0 && near.counts[static_cast<std::size_t>(domain)] > 0;
    };
    if (std::any_of(anti_affinity_.begin(), anti_affinity_.end(), taken)) return Reason::kPodAntiAffinity;
    for (const auto& [key, near] : blocked_)
        if (taken(near)) return Reason::kExistingAntiAffinity;
    return Reason::kNone;
}

std::int64_t Neighbours::wish_score(std::size_t node) const {
    std::int64_t sum = 0;
    for (const auto& [key, near] : wishes_) {
        const int domain = near.domains->of_node[node];
        if (domain >= 0) sum += near.counts[static_cast<std::size_t>(domain)];
    }
    return sum;
}

double Neighbours::soft_skew(std::size_t node) const {
    double sum = 0;
    for (const Spread& spread : spreads_) {
        if (spread.hard) continue;
        const int domain = spread.domains->of_node[node];
        // A topology of few domains is not to be drowned by one of many.
        const double weight = std::log(static_cast<double>(spread.present_count) + 2);
        if (domain < 0) return kNoDomain;
        const std::int64_t here = spread.counts[static_cast<std::size_t>(domain)];
        sum += static_cast<double>(here) * weight + static_cast<double>(spread.skew_max - 1);
    }
    return sum;
}

}  // namespace muster::scheduler
