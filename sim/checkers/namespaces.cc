// A namespace that was deleted ends empty and then gone: when it goes nothing is left in it, and nothing is made in one
// that is going or is not there. One that lives has its service account.
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/service_account.h"
#include "sim/checkers/list.h"
#include "sim/checkers/namespace_facts.h"

namespace muster::sim {
namespace {

using api::core::Namespace;
using api::core::ServiceAccount;

const Namespace* find_namespace(const World& world, const Text& name) {
    for (const Namespace* each : world.history.all<Namespace>())
        if (each->metadata.name == name) return each;
    return nullptr;
}

class Namespaces final : public Checker {
public:
    std::string_view name() const override { return "namespaces"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<Namespace>() && !change.now) return check_empty(world, change.before_as<Namespace>()->metadata);
        if (!change.now || change.before) return;
        const api::meta::ObjectMeta& made = change.now->metadata();
        if (made.namespace_.empty()) return;
        const Namespace* place = find_namespace(world, made.namespace_);
        if (!place) return world.fail(name(), made.name, "is made in a namespace that is not there");
        if (place->metadata.deletion_timestamp)
            world.fail(name(), made.name, "is made in a namespace that is being deleted");
    }

    void at_rest(World& world) override {
        if (world.settings().number("namespaces", 0) == 0) return;
        for (const Namespace* each : world.history.all<Namespace>()) {
            const Text& called = each->metadata.name;
            if (each->metadata.deletion_timestamp) world.fail(name(), called, "it is still being deleted");
            bool has_account = false;
            for (const ServiceAccount* account : world.history.all<ServiceAccount>())
                if (account->metadata.namespace_ == called && account->metadata.name == "default") has_account = true;
            if (!has_account) world.fail(name(), called, "it has no service account");
        }
    }

private:
    void check_empty(World& world, const api::meta::ObjectMeta& gone) {
        for (const auto& [key, entry] : world.history.state())
            if (entry.object->metadata().namespace_ == gone.name)
                world.fail(name(), gone.name, "it goes, and " + key + " is left in it");
    }
};

}  // namespace

bool is_emptied(const World& world, const Text& namespace_) {
    const Namespace* found = find_namespace(world, namespace_);
    return found && found->metadata.deletion_timestamp;
}

std::unique_ptr<Checker> make_namespaces() { return std::make_unique<Namespaces>(); }

}  // namespace muster::sim
