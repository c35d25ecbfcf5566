#include "sim/faults/list.h"

namespace muster::sim {

std::unique_ptr<Fault> make_fault(std::string_view name, const Settings& settings, Prng random) {
    if (name == "crash") return make_crash(settings, random);
    if (name == "network") return make_network(settings, random);
    if (name == "partition") return make_partition(settings, random);
    if (name == "disk") return make_disk(settings, random);
    if (name == "clock") return make_clock(settings, random);
    if (name == "machines") return make_machines(settings, random);
    if (name == "instances") return make_instances(settings, random);
    return nullptr;
}

}  // namespace muster::sim
