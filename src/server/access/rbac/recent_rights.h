// What the loop has allowed lately, for the threads that carry requests. A body is decoded only for a client that may
// ask; when the loop has just allowed the same user the same kind of request, the body need not wait for the loop to
// say it again. It is a hint, not a decision: the loop decides about every request, and one that it refuses after all
// has cost the decoding of one body. Nothing is remembered for longer than a second (`forget`).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "server/access/rbac/attributes.h"
#include "server/identity/user.h"

namespace muster::server {

class RecentRights {
public:
    // The seed is secret, so that a user cannot choose a name whose hash equals another user's.
    explicit RecentRights(std::uint64_t seed) : seed_(seed) {}

    // On any thread. The name of the object does not matter: rights to single objects are not remembered.
    bool held(const User& user, const Attributes& attributes) const;
    // On the loop.
    void remember(const User& user, const Attributes& attributes);
    void forget();

private:
    std::uint64_t key_of(const User& user, const Attributes& attributes) const;

    const std::uint64_t seed_;
    std::array<std::atomic<std::uint64_t>, 1024> keys_{};
};

}  // namespace muster::server
