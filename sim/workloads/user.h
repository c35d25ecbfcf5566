// A user at a terminal somewhere: asks the server over a connection, tries again when that fails, and lets the checkers
// know what was acknowledged.
#pragma once

#include <functional>
#include <string>

#include "client/mirror.h"
#include "sim/world/connection.h"
#include "sim/world/world.h"

namespace muster::sim {

class User {
public:
    User(World& world, const std::string& name) : world_(world), client_(world, world.loop, name, true) {}

    Connection& client() { return client_; }

    // Retries until the object exists; true also when another client created it.
    template <class K>
    os::Task<bool> create(K draft) {
        for (int tries = 0; tries < kTriesMax; ++tries) {
            const Result<client::Ref<K>> made = co_await client_.create<K>(draft);
            if (made.ok()) {
                acknowledge(**made);
                co_return true;
            }
            if (made.error().code == Code::kAlreadyExists) co_return true;
            if (!may_try_again(made.error())) {
                world_.note(draft.metadata.name, "refused: " + format_error(made.error()));
                co_return false;
            }
            co_await os::sleep_for(world_.loop, kRetry);
        }
        co_return false;
    }
    // Reads, edits and writes, until it is done, or the object is not there, or the edit is refused.
    template <class K>
    os::Task<bool> change(client::ObjectName name, std::function<bool(K&)> edit) {
        for (int tries = 0; tries < kTriesMax; ++tries) {
            const Result<client::Ref<K>> read = co_await client_.get<K>(name);
            if (read.ok()) {
                K draft = **read;
                if (!edit(draft)) co_return true;
                const Result<client::Ref<K>> stored = co_await client_.change<K>(*read, std::move(draft));
                if (stored.ok()) {
                    acknowledge(**stored);
                    co_return true;
                }
                if (!may_try_again(stored.error())) co_return false;
            } else if (!may_try_again(read.error())) {
                co_return false;
            }
            co_await os::sleep_for(world_.loop, kRetry);
        }
        co_return false;
    }
    // Until it is going or gone.
    template <class K>
    os::Task<void> remove(client::ObjectName name, client::Removal removal) {
        for (int tries = 0; tries < kTriesMax; ++tries) {
            const Result<void> removed = co_await client_.remove<K>(name, removal);
            // A conflict says that it is another by now.
            if (removed.ok() || !may_try_again(removed.error()) || removed.error().code == Code::kConflict) co_return;
            co_await os::sleep_for(world_.loop, kRetry);
        }
    }

private:
    static constexpr int kTriesMax = 1000;
    static constexpr Duration kRetry = 200ms;

    static bool may_try_again(const Error& error) {
        return error.code == Code::kTimeout || error.code == Code::kUnavailable || error.code == Code::kConflict ||
               error.code == Code::kCancelled || error.code == Code::kTooManyRequests;
    }
    template <class K>
    void acknowledge(const K& object) {
        world_.acknowledged(client::parse_version(object.metadata.resource_version));
    }

    World& world_;
    Connection client_;
};

}  // namespace muster::sim
