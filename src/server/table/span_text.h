// Spans of time as kubectl's users read them: two or three figures, the coarser the longer. "85s", "3m20s", "5h12m",
// "4d3h", "2y45d".
#pragma once

#include <string>

#include "base/instant.h"

namespace muster::server {

// Up to a second in the future counts as now, since clocks differ; more is "<invalid>".
std::string format_span(Duration span);

}  // namespace muster::server
