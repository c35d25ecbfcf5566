#include "sim/faults/list.h"

namespace muster::sim {
namespace {

using Keys = std::vector<std::string_view>;

// All there are, with their settings.
struct NamedFault {
    std::string_view name;
    std::unique_ptr<Fault> (*make)(const Settings& settings, Prng random);
    Keys keys;
};

const std::vector<NamedFault>& all_faults() {
    static const std::vector<NamedFault> all = {
        {"crash", &make_crash, {"every", "for", "only"}},
        {"network",
         &make_network,
         {"cut_watch", "delay", "delay_max", "duplicate", "expire_watch", "ghost", "hold_watch", "lose_answer",
          "lose_request"}},
        {"partition", &make_partition, {"every", "for"}},
        {"disk", &make_disk, {"bit_flip", "log_loss", "sync_error"}},
        {"clock", &make_clock, {"every", "jump_ms"}},
        {"machines", &make_machines, {"every", "for", "reboot", "refuse"}},
        {"instances", &make_instances, {"every", "for", "jump_ms"}},
        {"api-server",
         &make_api_server,
         {"bookmark", "caches", "jump", "kept", "lag", "retry_after", "throttle", "watch_life"}},
        {"restore", &make_restore, {"every", "for", "restart"}},
        {"handover", &make_handover, {"both", "every", "for"}},
    };
    return all;
}

const NamedFault* find_fault(std::string_view name) {
    for (const NamedFault& each : all_faults())
        if (each.name == name) return &each;
    return nullptr;
}

}  // namespace

std::optional<std::span<const std::string_view>> settings_of_fault(std::string_view name) {
    const NamedFault* found = find_fault(name);
    if (!found) return std::nullopt;
    return found->keys;
}

std::unique_ptr<Fault> make_fault(std::string_view name, const Settings& settings, Prng random) {
    const NamedFault* found = find_fault(name);
    return found ? found->make(settings, random) : nullptr;
}

}  // namespace muster::sim
