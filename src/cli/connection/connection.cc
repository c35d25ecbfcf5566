#include "cli/connection/connection.h"

namespace muster::cli {

void LineStreams::add(Request request, OnLine on_line, OnEnd on_end) {
    added_.push_back({std::move(request), std::move(on_line), std::move(on_end)});
    if (on_change) on_change();
}

void LineStreams::stop() {
    stopped_ = true;
    if (on_change) on_change();
}

void Connection::run_streams(LineStreams& streams) {
    for (std::vector<LineStreams::Each> next = streams.take(); !next.empty(); next = streams.take()) {
        for (const LineStreams::Each& each : next) {
            if (streams.stopped()) return;
            const Result<Response> response =
                stream(each.request, [&](std::string_view line) { return !streams.stopped() && each.on_line(line); });
            if (!streams.stopped()) each.on_end(response);
        }
    }
}

}  // namespace muster::cli
