// What /debug prints: the rows of a topic (client/report/inspection.h) as JSON, one row a line.
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "client/report/inspection.h"

namespace muster::endpoints {

// {"topic":"queues","at":"…","items":[\n{…},\n{…}\n]}
std::string format_rows(std::string_view topic, Instant at, const client::Inspection::Rows& rows);

}  // namespace muster::endpoints
