// The faults there are, each a file of that name.
#pragma once

#include <memory>

#include "sim/world/parts.h"

namespace muster::sim {

std::unique_ptr<Fault> make_crash(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_network(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_partition(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_disk(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_clock(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_machines(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_instances(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_api_server(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_restore(const Settings& settings, Prng random);
std::unique_ptr<Fault> make_handover(const Settings& settings, Prng random);

}  // namespace muster::sim
