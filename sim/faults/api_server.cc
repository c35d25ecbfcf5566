// The ways of a real API server (world/api_front.h): caches that lag, watches that end, versions that are forgotten or
// jump, requests that are refused for a while. Several parts of a scenario may set some of them each.
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class ApiServerFault final : public Fault {
public:
    explicit ApiServerFault(const Settings& settings) : settings_(settings) {}

    void start(World& world) override {
        ApiWays& ways = world.api.ways;
        const auto set_span = [this](const char* key, Duration& into) { into = settings_.span(key, into); };
        ways.caches = static_cast<int>(settings_.number("caches", ways.caches));
        set_span("lag", ways.lag_max);
        set_span("watch_life", ways.watch_life);
        set_span("bookmark", ways.bookmark);
        set_span("kept", ways.kept);
        ways.throttle = static_cast<int>(settings_.number("throttle", ways.throttle));
        ways.retry_after_max = settings_.number("retry_after", ways.retry_after_max);
        ways.jump_max = settings_.number("jump", ways.jump_max);
    }
    // Caches lag and watches end as long as there are API servers, but not so often that nothing else is seen.
    void heal(World& world) override {
        ApiWays& ways = world.api.ways;
        ways.throttle = 0;
        if (ways.watch_life > Duration()) ways.watch_life = std::max<Duration>(ways.watch_life, 1min);
        if (ways.bookmark > Duration()) ways.bookmark = std::max<Duration>(ways.bookmark, 20s);
        if (ways.kept > Duration()) ways.kept = std::max<Duration>(ways.kept, 50s);
    }

private:
    const Settings settings_;
};

}  // namespace

std::unique_ptr<Fault> make_api_server(const Settings& settings, Prng) {
    return std::make_unique<ApiServerFault>(settings);
}

}  // namespace muster::sim
