#include "server/table/span_text.h"

namespace muster::server {
namespace {

// "3m20s", and "3m" when there is no rest.
std::string two_units(std::int64_t big, const char* big_unit, std::int64_t small, const char* small_unit) {
    std::string text = std::to_string(big) + big_unit;
    if (small != 0) text += std::to_string(small) + small_unit;
    return text;
}

}  // namespace

std::string format_span(Duration span) {
    const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
    if (seconds < -1) return "<invalid>";
    if (seconds < 0) return "0s";
    if (seconds < 120) return std::to_string(seconds) + "s";
    const std::int64_t minutes = seconds / 60;
    if (minutes < 10) return two_units(minutes, "m", seconds % 60, "s");
    if (minutes < 180) return std::to_string(minutes) + "m";
    const std::int64_t hours = minutes / 60;
    if (hours < 8) return two_units(hours, "h", minutes % 60, "m");
    if (hours < 48) return std::to_string(hours) + "h";
    const std::int64_t days = hours / 24;
    if (days < 8) return two_units(days, "d", hours % 24, "h");
    if (days < 2 * 365) return std::to_string(days) + "d";
    if (days < 8 * 365) return two_units(days / 365, "y", days % 365, "d");
    return std::to_string(days / 365) + "y";
}

}  // namespace muster::server
