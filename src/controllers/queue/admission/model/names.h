// Resources, flavors and their pairs as small numbers, for one engine. Numbers are given out to what queues have quota
// for and workloads hold, and never taken back; nothing is ordered by them. What workloads merely ask for gets none:
// users choose those names, and there would be more with all the work done.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "controllers/queue/quota/tree.h"

namespace muster::controllers::queue {

using FlavorId = std::uint32_t;

class Names {
public:
    ResourceId resource(const Text& name) { return number<ResourceId>(resources_, resource_names_, name); }
    FlavorId flavor(const Text& name) { return number<FlavorId>(flavors_, flavor_names_, name); }
    Slot slot(FlavorId flavor, ResourceId resource) {
        const auto [found, is_new] = slots_.try_emplace({flavor, resource}, static_cast<Slot>(pairs_.size()));
        if (is_new) pairs_.emplace_back(flavor, resource);
        return found->second;
    }

    // Null for a resource without a number.
    const ResourceId* find_resource(const Text& name) const {
        const auto found = resources_.find(name);
        return found == resources_.end() ? nullptr : &found->second;
    }
    // Null for a flavor without a number.
    const FlavorId* find_flavor(const Text& name) const {
        const auto found = flavors_.find(name);
        return found == flavors_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return resource_names_.size() + flavor_names_.size(); }

    const Text& resource_name(ResourceId id) const { return entry(resource_names_, id); }
    const Text& flavor_name(FlavorId id) const { return entry(flavor_names_, id); }
    FlavorId flavor_of(Slot slot) const { return entry(pairs_, slot).first; }
    ResourceId resource_of(Slot slot) const { return entry(pairs_, slot).second; }

private:
    template <class T>
    static const T& entry(const std::vector<T>& all, std::uint32_t id) {
        CHECK(id < all.size(), "a number that was never given out");
        return all[id];
    }
    template <class Id>
    static Id number(std::map<Text, Id>& known, std::vector<Text>& names, const Text& name) {
        const auto [found, is_new] = known.try_emplace(name, static_cast<Id>(names.size()));
        if (is_new) names.push_back(name);
        return found->second;
    }

    std::map<Text, ResourceId> resources_;
    std::map<Text, FlavorId> flavors_;
    std::vector<Text> resource_names_;
    std::vector<Text> flavor_names_;
    std::map<std::pair<FlavorId, ResourceId>, Slot> slots_;
    std::vector<std::pair<FlavorId, ResourceId>> pairs_;
};

}  // namespace muster::controllers::queue
