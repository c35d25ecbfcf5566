// A kind as clients reach it: a resource with its verbs and subresources. The registry
// (server/registry/kind_registry.h) has a table of them, by which requests are routed and from which discovery and
// OpenAPI are printed, so what clients are told and what they get cannot differ.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "api/schema/kind_info.h"

namespace muster::server {

// In the order discovery prints them.
enum class Verb : std::uint8_t { kCreate, kDelete, kDeleteCollection, kGet, kList, kPatch, kUpdate, kWatch };
inline constexpr Verb kAllVerbs[] = {Verb::kCreate, Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,
                                     Verb::kList,   Verb::kPatch,  Verb::kUpdate,           Verb::kWatch};
// "deletecollection", as discovery and RBAC write it.
std::string_view name_of(Verb verb);

class Verbs {
public:
    constexpr Verbs() = default;
    constexpr Verbs(std::initializer_list<Verb> verbs) {
        for (const Verb verb : verbs) mask_ = static_cast<std::uint8_t>(mask_ | bit(verb));
    }
    constexpr bool has(Verb verb) const { return (mask_ & bit(verb)) != 0; }
    constexpr bool operator==(const Verbs&) const = default;

private:
    static constexpr std::uint8_t bit(Verb verb) {
        return static_cast<std::uint8_t>(1u << static_cast<unsigned>(verb));
    }
    std::uint8_t mask_ = 0;
};

inline constexpr Verbs kFullVerbs{Verb::kCreate, Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,
                                  Verb::kList,   Verb::kPatch,  Verb::kUpdate,           Verb::kWatch};
inline constexpr Verbs kStatusVerbs{Verb::kGet, Verb::kPatch, Verb::kUpdate};

struct ServedSubresource {
    std::string_view name;      // "status"
    const api::KindInfo* kind;  // what it takes and gives: the resource's own for status, Eviction for eviction
    Verbs verbs;
    // Not an object but a stream of bytes: log, exec, attach.
    bool stream = false;
};

struct ServedResource {
    const api::KindInfo* kind;  // never null; its options have the plural, the scope and the short names
    Verbs verbs;
    std::span<const ServedSubresource> subresources{};
    // Never has objects and knows no type of ours (the kind's type is PartialObjectMetadata): there for clients that
    // insist on listing and watching it, such as the upstream scheduler.
    bool empty = false;
    // Answered and never stored: the reviews, bindings.
    bool virtual_only = false;

    const ServedSubresource* find_subresource(std::string_view name) const;
    // The lower-case kind: "job".
    std::string singular() const;
};

struct ServedVersion {
    std::string_view group;  // "" for core
    std::string_view version;
    std::span<const ServedResource> resources;  // by plural

    std::string group_version() const;  // "v1", "batch/v1"
    std::string path() const;           // "api/v1", "apis/batch/v1"
    const ServedResource* find(std::string_view plural) const;
};

struct GroupVersion {
    std::string_view group;
    std::string_view version;
};

// What the declared kinds give, in the order of their lists, and the names of what is always empty.
std::vector<ServedResource> declared_resources();
// In the order in which discovery shows them: the core group first, the versions of a group together, the preferred one
// first.
std::span<const GroupVersion> declared_versions();

}  // namespace muster::server
