// The three kinds of parts that a scenario is made of. Workloads drive, faults hurt, checkers judge; each is a file.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/core/node.h"
#include "base/prng.h"
#include "server/kind_object/kind_object.h"
#include "sim/world/disk.h"
#include "sim/world/machine.h"
#include "sim/world/settings.h"
#include "store/store.h"

namespace muster::sim {

class World;

// One change of the durable history, in the order of revisions.
struct Change {
    const api::KindInfo* kind;
    std::string_view key;
    store::Revision revision;
    server::KindObjectPtr before;  // null: there was none
    server::KindObjectPtr now;     // null: it is gone

    template <class K>
    const K* before_as() const {
        return before ? &server::as<K>(*before) : nullptr;
    }
    template <class K>
    const K* now_as() const {
        return now ? &server::as<K>(*now) : nullptr;
    }
    template <class K>
    bool is() const {
        return kind == &api::kind_info<K>();
    }
};

// An object's version as a client outside the server saw it.
struct Seen {
    std::string key;
    store::Revision revision;
    bool removed;
};

// Drives: users and what they want.
class Workload {
public:
    virtual ~Workload() = default;
    virtual void start(World& world) = 0;
    // Faults are over: no more is begun, and what would wait for ever is let go on.
    virtual void wind_down(World& world) = 0;
    // Empty when nothing is left to happen.
    virtual std::string why_not_over(World& world) const = 0;
};

// Hurts, until it is healed.
class Fault {
public:
    virtual ~Fault() = default;
    virtual void start(World& world) = 0;
    virtual void heal(World& world) = 0;
};

// Judges. It says what is wrong by World::fail.
class Checker {
public:
    virtual ~Checker() = default;
    virtual std::string_view name() const = 0;
    virtual void on_change(World&, const Change&) {}
    virtual void on_run(World&, const Machine&, const ProcessTruth&) {}
    // The server has been opened again, and what was lost is lost.
    virtual void on_boot(World&) {}
    // Before that: durable writes are gone, and the operator goes on without them.
    virtual void on_loss(World&) {}
    // A backup of what is durable was taken.
    virtual void on_backup(World&) {}
    // The server's data is that of the backup: what was written since never happened. Before on_boot.
    virtual void on_restore(World&) {}
    // The answer to a write was sent to the client.
    virtual void on_acknowledged(World&, store::Revision) {}
    virtual void on_journal(World&, const std::vector<DurableChange>&, store::Revision) {}
    // A watcher from outside has listed, or seen an event.
    virtual void on_listed(World&, int, const api::KindInfo&, const std::vector<Seen>&, store::Revision) {}
    virtual void on_seen(World&, int, const Seen&) {}
    // A user, not a controller, asked for this object's deletion.
    virtual void on_user_removal(World&, std::string_view /*uid*/) {}
    virtual void on_clock_jump(World&, Duration) {}
    // One of the instances that fight for the lease: a claim that it sent at that time, by its own clock, was granted;
    // it begins to lead, or has stopped or died; one of its controllers sends a write.
    virtual void on_granted(World&, int /*instance*/, Duration /*sent_at*/) {}
    virtual void on_leads(World&, int /*instance*/, bool) {}
    virtual void on_write(World&, int /*instance*/, const std::string& /*what*/) {}
    virtual void on_healed(World&) {}
    // All is over and nothing has moved for a while.
    virtual void at_rest(World&) {}
};

// The settings that a workload or a fault of that name has; nothing when there is none of that name.
std::optional<std::span<const std::string_view>> settings_of_workload(std::string_view name);
std::optional<std::span<const std::string_view>> settings_of_fault(std::string_view name);
// By name, as scenarios say it. Null when there is none.
std::unique_ptr<Workload> make_workload(std::string_view name, const Settings& settings, Prng random);
std::unique_ptr<Fault> make_fault(std::string_view name, const Settings& settings, Prng random);
// All there are.
std::vector<std::unique_ptr<Checker>> make_checkers();

}  // namespace muster::sim
