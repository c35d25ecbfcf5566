#include "controllers/cron_job/zone_table.h"

namespace muster::controllers {

const TimeZone* ZoneTable::find(std::string_view name) {
    if (name.empty() || name == "UTC") return &utc_;
    auto found = zones_.find(name);
    if (found == zones_.end()) {
        if (!read_) return nullptr;
        const auto bytes = read_(name);
        if (!bytes.ok()) return nullptr;
        auto zone = TimeZone::parse(*bytes);
        if (!zone.ok()) return nullptr;
        found = zones_.emplace(name, *std::move(zone)).first;
    }
    return &found->second;
}

}  // namespace muster::controllers
