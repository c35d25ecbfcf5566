// What was acknowledged is still there after a crash, and revisions never go back.
#include <algorithm>

#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Durability final : public Checker {
public:
    std::string_view name() const override { return "durability"; }

    void on_acknowledged(World&, store::Revision revision) override {
        acknowledged_ = std::max(acknowledged_, revision);
    }

    void on_journal(World& world, const std::vector<DurableChange>& changes, store::Revision revision) override {
        if (revision <= durable_) world.fail(name(), "the journal", "a group's revision does not rise");
        for (const DurableChange& change : changes)
            if (change.revision <= durable_ || change.revision > revision)
                world.fail(name(), change.key, "revision " + std::to_string(change.revision) + " is given twice");
        durable_ = revision;
    }

    void on_restore(World&) override { acknowledged_ = durable_ = 0; }

    void on_boot(World& world) override {
        const store::Revision back = world.server()->store().revision();
        if (back < acknowledged_)
            world.fail(name(), "the store",
                       "revision " + std::to_string(acknowledged_) + " was acknowledged, and the server is back at " +
                           std::to_string(back));
        if (back < durable_) world.fail(name(), "the store", "it is back before what its journal wrote");
        durable_ = back;
    }

private:
    store::Revision acknowledged_ = 0;
    store::Revision durable_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_durability() { return std::make_unique<Durability>(); }

}  // namespace muster::sim
