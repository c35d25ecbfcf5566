#include "server/access/rbac/recent_rights.h"

#include <functional>

namespace muster::server {
namespace {

std::uint64_t mix(std::uint64_t key, std::string_view text) {
    key ^= std::hash<std::string_view>()(text);
    key *= 0x9e3779b97f4a7c15;
    return key ^ (key >> 29);
}

}  // namespace

// Never 0. A user's credential counts as well: a token may have been revoked, and another of the same user not.
std::uint64_t RecentRights::key_of(const User& user, const Attributes& attributes) const {
    std::uint64_t key = mix(seed_, user.name);
    key = mix(key, user.uid);
    for (const std::string& group : user.groups) key = mix(key, group);
    if (const auto credential = user.extra.find(kCredentialIdKey); credential != user.extra.end())
        for (const std::string& id : credential->second) key = mix(key, id);
    for (const std::string_view part : {attributes.verb, attributes.group, attributes.resource, attributes.subresource,
                                        attributes.namespace_, attributes.path})
        key = mix(key, part);
    return key | 1;
}

bool RecentRights::held(const User& user, const Attributes& attributes) const {
    const std::uint64_t key = key_of(user, attributes);
    return keys_[(key >> 1) % keys_.size()].load(std::memory_order_relaxed) == key;
}

void RecentRights::remember(const User& user, const Attributes& attributes) {
    const std::uint64_t key = key_of(user, attributes);
    keys_[(key >> 1) % keys_.size()].store(key, std::memory_order_relaxed);
}

void RecentRights::forget() {
    for (std::atomic<std::uint64_t>& key : keys_) key.store(0, std::memory_order_relaxed);
}

}  // namespace muster::server
