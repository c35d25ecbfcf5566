// The disk: syncs that fail, which end the server; bits that turn over and logs that are lost, which its next start
// must notice.
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class DiskFault final : public Fault {
public:
    explicit DiskFault(const Settings& settings) : settings_(settings) {}

    void start(World& world) override {
        world.sync_error_permille = static_cast<int>(settings_.number("sync_error", 0));
        world.log_loss_percent = static_cast<int>(settings_.number("log_loss", 0));
        world.bit_flip_percent = static_cast<int>(settings_.number("bit_flip", 0));
    }
    void heal(World&) override {}

private:
    const Settings settings_;
};

}  // namespace

std::unique_ptr<Fault> make_disk(const Settings& settings, Prng) { return std::make_unique<DiskFault>(settings); }

}  // namespace muster::sim
