#include "sim/world/network.h"

#include "base/reached.h"

namespace muster::sim {

std::shared_ptr<Line> Network::line(const std::string& name, bool outside) {
    std::shared_ptr<Line>& line = lines_[name];
    if (!line) line = std::make_shared<Line>();
    line->name = name;
    line->outside = outside;
    return line;
}

Packet Network::draw(const Line& line) {
    Packet packet;
    packet.lose_request = hits(odds.lose_request);
    packet.lose_answer = hits(odds.lose_answer);
    packet.duplicate = hits(odds.duplicate);
    packet.ghost = hits(odds.ghost);
    const bool late = hits(odds.delay);
    const bool answered_late = hits(odds.delay);
    packet.request_delay = late ? up_to(odds.delay_max) : line.outside ? up_to(latency_max) : Duration();
    packet.answer_delay = answered_late ? up_to(odds.delay_max) : line.outside ? up_to(latency_max) : Duration();
    packet.duplicate_delay = packet.duplicate ? up_to(odds.delay_max) : Duration();
    return packet;
}

WatchFate Network::draw_watch(const Line& line, Duration* hold) {
    *hold = line.outside ? up_to(latency_max) : Duration();
    if (hits(odds.expire_watch)) {
        REACHED("a watch is told to list again");
        return WatchFate::kExpire;
    }
    if (hits(odds.cut_watch)) return WatchFate::kCut;
    if (!hits(odds.hold_watch)) return WatchFate::kDeliver;
    *hold = up_to(odds.delay_max);
    return WatchFate::kHold;
}

}  // namespace muster::sim
