#include "controllers/cron_job/zone_table.h"

namespace muster::controllers {

const TimeZone* ZoneTable::find(std::string_view name) {
    if (name.empty() || name == "UTC") return &utc_;
    auto found = zones_.find(name);
    if (found == zones_.end()) {
        if (!read_ || zones_.size() >= kZonesMax) return nullptr;
        std::optional<TimeZone> zone;
        if (const auto bytes = read_(name); bytes.ok())
            if (auto parsed = TimeZone::parse(*bytes); parsed.ok()) zone = *std::move(parsed);
        found = zones_.emplace(name, std::move(zone)).first;
    }
    return found->second ? &*found->second : nullptr;
}

}  // namespace muster::controllers
