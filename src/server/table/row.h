// One row of a table while it is written: its cells, in the order of the columns, as JSON. What the printers of the
// kinds (print.h) are given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/value/time.h"
#include "base/instant.h"

namespace muster::server {

class Row {
public:
    Row(std::string& out, Instant now) : out_(out), now_(now) {}

    Row& text(std::string_view value);
    Row& number(std::int64_t value);
    Row& boolean(bool value);
    // The time since then: "<unknown>" when it never was.
    Row& age(api::Time since) { return text(since_text(since)); }

    std::string since_text(api::Time since) const;
    std::string since_text(api::MicroTime since) const;
    Instant now() const { return now_; }

    // "Succeeded" or "Failed" once the object has run to its end: a condition of the whole row.
    std::string_view completed_reason;
    std::string_view completed_message;

private:
    void comma();

    std::string& out_;
    Instant now_;
    bool first_ = true;
};

}  // namespace muster::server
