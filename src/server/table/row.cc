#include "server/table/row.h"

#include "api/text/json_text.h"
#include "server/table/span_text.h"

namespace muster::server {

Row& Row::text(std::string_view value) {
    comma();
    api::append_json_string(value, out_);
    return *this;
}

Row& Row::number(std::int64_t value) {
    comma();
    api::append_json_number(value, out_);
    return *this;
}

Row& Row::boolean(bool value) {
    comma();
    out_ += value ? "true" : "false";
    return *this;
}

std::string Row::since_text(api::Time since) const {
    return since.is_null() ? "<unknown>" : format_span(now_ - since.instant());
}

std::string Row::since_text(api::MicroTime since) const {
    return since.is_null() ? "<unknown>" : format_span(now_ - since.instant());
}

void Row::comma() {
    if (!first_) out_ += ',';
    first_ = false;
}

}  // namespace muster::server
