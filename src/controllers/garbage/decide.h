// Kubernetes' rules for garbage collection. An object is deleted when all of its owners are gone; if an owner remains,
// only the references to the others are removed. An object that is deleted in the foreground stays until the dependents
// that block it are gone. Pure: live reads come in, a plan comes out.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "client/client.h"

namespace muster::controllers {

inline constexpr const char* kOrphanDependents = "orphan";
inline constexpr const char* kDeleteDependents = "foregroundDeletion";

bool has_finalizer(const api::meta::ObjectMeta& metadata, std::string_view finalizer);

// What a live read said of an owner.
enum class OwnerStanding {
    kSolid,    // there
    kGone,     // not there, or another object under its name
    kWaiting,  // there, being deleted, and waiting for its dependents
};
OwnerStanding standing_of(const api::meta::ObjectMeta& owner);

struct DependentView {
    const api::meta::ObjectMeta& latest;
    std::span<const OwnerStanding> standings;  // of latest.owner_references, in their order
    bool has_dependents = false;
    bool has_waiting_dependent = false;
};

// Carried out top to bottom; at most one of the first and the last is there.
struct DependentPlan {
    std::vector<Text> drop_owners{};              // by UID: a solid one remains
    bool unblock_owners = false;                  // so that a circle of waiting owners opens
    std::optional<client::Propagation> remove{};  // exactly the object that was read
    bool operator==(const DependentPlan&) const = default;
};

DependentPlan decide_dependent(const DependentView& view);

struct WaitingView {
    bool is_blocked = false;
    bool is_in_waiting_cycle = false;
};
struct WaitingPlan {
    bool unblock_owners = false;  // clear blockOwnerDeletion in its own references
    bool release = false;         // its foregroundDeletion finalizer goes
    bool operator==(const WaitingPlan&) const = default;
};
// Of an object that waits for its dependents.
WaitingPlan decide_waiting(const WaitingView& view);

// The same references with blockOwnerDeletion cleared.
List<api::meta::OwnerReference> unblocked(const List<api::meta::OwnerReference>& owners);

}  // namespace muster::controllers
