#include "controllers/garbage/graph.h"

#include <algorithm>

#include "controllers/garbage/decide.h"

namespace muster::controllers {
namespace {

using api::meta::ObjectMeta;
using api::meta::OwnerReference;

bool is_blocking(const OwnerReference& reference) { return reference.block_owner_deletion.value_or(false); }

}  // namespace

std::size_t OwnerGraph::IdentityHash::operator()(const ObjectIdentity& identity) const {
    return std::hash<Text>()(identity.uid);
}

const OwnerGraph::Node* OwnerGraph::find(const Text& uid) const {
    const auto found = nodes_.find(uid);
    return found == nodes_.end() ? nullptr : &found->second;
}

const OwnerReference* OwnerGraph::reference_to(const Node& dependent, const Text& uid) {
    for (const OwnerReference& reference : dependent.owners)
        if (reference.uid == uid) return &reference;
    return nullptr;
}

bool OwnerGraph::blocks(const Node& dependent, const Node& owner) {
    if (&dependent == &owner) return false;  // who owns itself does not wait for itself
    const OwnerReference* reference = reference_to(dependent, owner.identity.uid);
    return reference && is_blocking(*reference);
}

GraphChanges OwnerGraph::observe(const ObjectIdentity& identity, const ObjectMeta& metadata) {
    GraphChanges changes;
    const auto [at, added] = nodes_.try_emplace(identity.uid);
    Node& node = at->second;
    if (added) node.identity = identity;
    if (node.phantom) appear(node, identity, changes);
    set_owners(node, metadata.owner_references, changes);
    set_deletion(node, metadata, changes);
    return changes;
}

// Dependents whose reference has another kind, namespace or name than the real object must be examined: it is not their
// owner.
void OwnerGraph::appear(Node& node, const ObjectIdentity& identity, GraphChanges& changes) {
    node.phantom = false;
    node.identity = identity;
    for (const Node* dependent : node.dependents) {
        const OwnerReference* reference = reference_to(*dependent, identity.uid);
        if (!reference) continue;
        const ObjectIdentity claimed = claimed_owner(*reference, dependent->identity.namespace_, kinds_);
        if (claimed == identity) continue;
        if (claimed.namespace_ != identity.namespace_) changes.foreign.push_back({dependent->identity, claimed});
        changes.examine.push_back(dependent->identity.uid);
    }
}

void OwnerGraph::set_owners(Node& node, const List<OwnerReference>& owners, GraphChanges& changes) {
    if (node.owners == owners) return;
    const List<OwnerReference> before = node.owners;
    unlink(node);
    node.owners = owners;
    link(node, changes);
    for (const OwnerReference& old : before) {
        if (!is_blocking(old)) continue;
        const OwnerReference* kept = reference_to(node, old.uid);
        const bool released = !kept || !is_blocking(*kept);
        if (released && knows(old.uid)) changes.examine.push_back(old.uid);
    }
}

void OwnerGraph::set_deletion(Node& node, const ObjectMeta& metadata, GraphChanges& changes) {
    node.being_deleted = metadata.deletion_timestamp.has_value();
    const bool orphaning = node.being_deleted && has_finalizer(metadata, kOrphanDependents);
    const bool waits = node.being_deleted && !orphaning && has_finalizer(metadata, kDeleteDependents);
    if (orphaning && !node.orphaning) changes.orphan.push_back(node.identity.uid);
    node.orphaning = orphaning;
    const bool begins_to_wait = waits && !node.waits;
    node.waits = waits;
    if (!begins_to_wait) return;
    for (const Node* dependent : node.dependents) changes.examine.push_back(dependent->identity.uid);
    changes.examine.push_back(node.identity.uid);
}

void OwnerGraph::link(Node& node, GraphChanges& changes) {
    for (const OwnerReference& reference : node.owners) {
        const bool linked = std::any_of(node.edges.begin(), node.edges.end(),
                                        [&](const Edge& edge) { return edge.owner->identity.uid == reference.uid; });
        if (!linked) link_one(node, reference, changes);
    }
}

void OwnerGraph::link_one(Node& node, const OwnerReference& reference, GraphChanges& changes) {
    const ObjectIdentity claimed = claimed_owner(reference, node.identity.namespace_, kinds_);
    const auto [at, added] = nodes_.try_emplace(reference.uid);
    Node& owner = at->second;
    if (added) {
        owner.phantom = true;
        owner.identity = claimed;
    }
    node.edges.push_back({&owner, owner.dependents.insert(owner.dependents.end(), &node)});
    if (owner.phantom) {
        // The phantom is looked at when it is new, and when it is claimed to be yet something else.
        if (added || !(owner.identity == claimed)) changes.examine.push_back(reference.uid);
        return;
    }
    if (!(owner.identity == claimed)) {
        if (owner.identity.namespace_ != claimed.namespace_) changes.foreign.push_back({node.identity, claimed});
        changes.examine.push_back(node.identity.uid);
    } else if (owner.waits) {
        changes.examine.push_back(node.identity.uid);
    } else if (owner.orphaning) {
        changes.orphan.push_back(reference.uid);
    }
}

// Removes phantoms that no reference names any more.
void OwnerGraph::unlink(Node& node) {
    for (const Edge& edge : node.edges) {
        edge.owner->dependents.erase(edge.place);
        if (edge.owner->phantom && edge.owner->dependents.empty()) nodes_.erase(Text(edge.owner->identity.uid));
    }
    node.edges.clear();
}

GraphChanges OwnerGraph::forget(const Text& uid) {
    GraphChanges changes;
    const auto found = nodes_.find(uid);
    if (found == nodes_.end() || found->second.phantom) return changes;
    Node& node = found->second;
    if (!node.dependents.empty()) remember_absent(node.identity);
    for (Node* dependent : node.dependents) {
        std::erase_if(dependent->edges, [&](const Edge& edge) { return edge.owner == &node; });
        if (dependent != &node) changes.examine.push_back(dependent->identity.uid);
    }
    for (const Edge& edge : node.edges)
        if (edge.owner->waits && edge.owner != &node) changes.examine.push_back(edge.owner->identity.uid);
    unlink(node);
    nodes_.erase(found);
    return changes;
}

GraphChanges OwnerGraph::lose_sight(const Text& uid) {
    GraphChanges changes;
    const auto found = nodes_.find(uid);
    if (found == nodes_.end() || found->second.phantom) return changes;
    Node& node = found->second;
    for (const Edge& edge : node.edges)
        if (edge.owner->waits && edge.owner != &node) changes.examine.push_back(edge.owner->identity.uid);
    unlink(node);
    node.owners = {};
    node.phantom = true;
    node.being_deleted = node.waits = node.orphaning = false;
    if (node.dependents.empty()) nodes_.erase(found);
    return changes;
}

GraphChanges OwnerGraph::mark_absent(const ObjectIdentity& identity) {
    GraphChanges changes;
    remember_absent(identity);
    const auto found = nodes_.find(identity.uid);
    if (found == nodes_.end()) return changes;
    Node& node = found->second;
    for (auto at = node.dependents.begin(); at != node.dependents.end();) {
        Node* dependent = *at++;
        const OwnerReference* reference = reference_to(*dependent, identity.uid);
        if (!reference || !(claimed_owner(*reference, dependent->identity.namespace_, kinds_) == identity)) continue;
        changes.examine.push_back(dependent->identity.uid);
        if (!node.phantom) continue;
        const auto edge = std::find_if(dependent->edges.begin(), dependent->edges.end(),
                                       [&](const Edge& held) { return held.owner == &node; });
        node.dependents.erase(edge->place);
        dependent->edges.erase(edge);
    }
    if (node.phantom && node.dependents.empty()) nodes_.erase(found);
    return changes;
}

void OwnerGraph::remember_absent(const ObjectIdentity& identity) {
    if (!absent_.insert(identity).second) return;
    absent_order_.push_back(identity);
    if (absent_.size() <= absent_max_) return;
    absent_.erase(absent_order_.front());
    absent_order_.pop_front();
}

bool OwnerGraph::is_phantom(const Text& uid) const {
    const Node* node = find(uid);
    return node && node->phantom;
}

bool OwnerGraph::is_known_absent(const ObjectIdentity& identity) const { return absent_.count(identity) != 0; }

const ObjectIdentity* OwnerGraph::identity(const Text& uid) const {
    const Node* node = find(uid);
    return node ? &node->identity : nullptr;
}

std::vector<ObjectIdentity> OwnerGraph::claims(const Text& uid) const {
    std::vector<ObjectIdentity> claims;
    const Node* node = find(uid);
    if (!node || !node->phantom) return claims;
    for (const Node* dependent : node->dependents) {
        const OwnerReference* reference = reference_to(*dependent, uid);
        CHECK(reference);
        ObjectIdentity claimed = claimed_owner(*reference, dependent->identity.namespace_, kinds_);
        if (claims.empty() || !(claims.back() == claimed)) claims.push_back(std::move(claimed));
    }
    std::sort(claims.begin(), claims.end());
    claims.erase(std::unique(claims.begin(), claims.end()), claims.end());
    return claims;
}

bool OwnerGraph::being_deleted(const Text& uid) const {
    const Node* node = find(uid);
    return node && node->being_deleted;
}

bool OwnerGraph::waits_for_dependents(const Text& uid) const {
    const Node* node = find(uid);
    return node && node->waits;
}

bool OwnerGraph::has_dependents(const Text& uid) const {
    const Node* node = find(uid);
    return node && !node->dependents.empty();
}

bool OwnerGraph::has_waiting_dependent(const Text& uid) const {
    const Node* node = find(uid);
    return node && std::any_of(node->dependents.begin(), node->dependents.end(),
                               [](const Node* dependent) { return dependent->waits; });
}

bool OwnerGraph::is_blocked(const Text& uid) const {
    const Node* node = find(uid);
    return node && std::any_of(node->dependents.begin(), node->dependents.end(),
                               [&](const Node* dependent) { return blocks(*dependent, *node); });
}

// Upwards, because owners are few where dependents may be a hundred thousand.
bool OwnerGraph::is_in_waiting_cycle(const Text& uid) const {
    const Node* start = find(uid);
    if (!start || !start->waits) return false;
    std::vector<const Node*> open{start};
    std::unordered_set<const Node*> seen{start};
    while (!open.empty()) {
        const Node* node = open.back();
        open.pop_back();
        for (const Edge& edge : node->edges) {
            if (!edge.owner->waits || !blocks(*node, *edge.owner)) continue;
            if (edge.owner == start) return true;
            if (seen.insert(edge.owner).second) open.push_back(edge.owner);
        }
    }
    return false;
}

std::vector<ObjectIdentity> OwnerGraph::dependents(const Text& uid) const {
    std::vector<ObjectIdentity> dependents;
    const Node* node = find(uid);
    if (!node) return dependents;
    for (const Node* dependent : node->dependents) dependents.push_back(dependent->identity);
    return dependents;
}

}  // namespace muster::controllers
