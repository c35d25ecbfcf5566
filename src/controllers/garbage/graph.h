// The graph of owners and dependents, by UID. The garbage collector feeds it with observed objects; each observation
// returns the objects to check. The graph decides nothing: objects are deleted only after live reads (decide.h).
// An owner that is referenced and was not yet observed has a node of its own, a phantom, until it is observed, proved
// absent, or no longer referenced. Changes come in the order of the observations, so the graph is deterministic.
#pragma once

#include <list>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "base/list.h"
#include "controllers/garbage/identity.h"

namespace muster::controllers {

// A dependent names an owner that lives in another namespace: to be told as an event on the dependent.
struct ForeignOwner {
    ObjectIdentity dependent;
    ObjectIdentity claimed;
    bool operator==(const ForeignOwner&) const = default;
};

// What an observation makes worth a look. UIDs may repeat.
struct GraphChanges {
    std::vector<Text> examine;  // may have to go, or may be what its dependents waited for
    std::vector<Text> orphan;   // its dependents are to be released
    std::vector<ForeignOwner> foreign{};
    bool operator==(const GraphChanges&) const = default;
};

class OwnerGraph {
public:
    // `absent_max`: how many proved absences are remembered, so that a thousand dependents cost one read of their
    // owner.
    explicit OwnerGraph(CollectedKinds kinds = {}, std::size_t absent_max = 500)
        : kinds_(std::move(kinds)), absent_max_(absent_max) {}
    // By which owners are found that have not been observed.
    void set_kinds(CollectedKinds kinds) { kinds_ = std::move(kinds); }
    OwnerGraph(const OwnerGraph&) = delete;
    OwnerGraph& operator=(const OwnerGraph&) = delete;

    // The object exists and has this metadata.
    GraphChanges observe(const ObjectIdentity& identity, const api::meta::ObjectMeta& metadata);
    // The object was seen to be gone. Of one that was never seen: nothing.
    GraphChanges forget(const Text& uid);
    // The object is not observed any more, and may exist. An owner becomes a phantom; what it depends on does not wait
    // for it.
    GraphChanges lose_sight(const Text& uid);
    // A live read found nothing under this identity, or something else.
    GraphChanges mark_absent(const ObjectIdentity& identity);

    bool knows(const Text& uid) const { return nodes_.count(uid) != 0; }
    bool is_phantom(const Text& uid) const;
    bool is_known_absent(const ObjectIdentity& identity) const;
    // Null when the UID is unknown.
    const ObjectIdentity* identity(const Text& uid) const;
    // The different identities under which dependents name a phantom, sorted.
    std::vector<ObjectIdentity> claims(const Text& uid) const;

    bool being_deleted(const Text& uid) const;
    bool waits_for_dependents(const Text& uid) const;
    bool has_dependents(const Text& uid) const;
    // Some dependent waits for dependents of its own: a hint of a cycle.
    bool has_waiting_dependent(const Text& uid) const;
    // Some other object with blockOwnerDeletion still refers to it.
    bool is_blocked(const Text& uid) const;
    // It blocks an owner that waits, which blocks one that waits, … which is itself: none of them would ever go.
    bool is_in_waiting_cycle(const Text& uid) const;
    std::vector<ObjectIdentity> dependents(const Text& uid) const;
    std::size_t size() const { return nodes_.size(); }

private:
    struct Node;
    struct Edge {
        Node* owner;
        std::list<Node*>::iterator place;  // in the owner's dependents
    };
    struct Node {
        ObjectIdentity identity;
        List<api::meta::OwnerReference> owners;
        std::vector<Edge> edges;
        std::list<Node*> dependents;
        bool phantom = false;
        bool being_deleted = false;
        bool waits = false;      // foregroundDeletion
        bool orphaning = false;  // orphan
    };

    const Node* find(const Text& uid) const;
    void appear(Node& node, const ObjectIdentity& identity, GraphChanges& changes);
    void set_owners(Node& node, const List<api::meta::OwnerReference>& owners, GraphChanges& changes);
    void set_deletion(Node& node, const api::meta::ObjectMeta& metadata, GraphChanges& changes);
    void link(Node& node, GraphChanges& changes);
    void link_one(Node& node, const api::meta::OwnerReference& reference, GraphChanges& changes);
    void unlink(Node& node);
    void remember_absent(const ObjectIdentity& identity);
    static const api::meta::OwnerReference* reference_to(const Node& dependent, const Text& uid);
    static bool blocks(const Node& dependent, const Node& owner);

    std::unordered_map<Text, Node> nodes_;  // looked up, never iterated

    struct IdentityHash {
        std::size_t operator()(const ObjectIdentity& identity) const;
    };
    CollectedKinds kinds_;
    std::size_t absent_max_;
    std::unordered_set<ObjectIdentity, IdentityHash> absent_;
    std::list<ObjectIdentity> absent_order_;  // oldest first
};

}  // namespace muster::controllers
