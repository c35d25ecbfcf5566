#include "endpoints/debug.h"

#include "api/value/time.h"
#include "os/log/log_format.h"

namespace muster::endpoints {

std::string format_rows(std::string_view topic, Instant at, const client::Inspection::Rows& rows) {
    std::string out = "{\"topic\":";
    os::append_json_text(out, topic);
    out += ",\"at\":";
    os::append_json_text(out, api::Time::from_instant(at).text());
    out += ",\"items\":[";
    for (const client::Inspection::Row& row : rows) {
        out += &row == rows.data() ? "\n" : ",\n";
        os::append_json_object(out, row);
    }
    out += rows.empty() ? "]}\n" : "\n]}\n";
    return out;
}

}  // namespace muster::endpoints
