// A container's log, in the format of the Container Runtime Interface: "<time> stdout F <line>", P in place of F for a
// piece of a line that goes on in the next entry. Writing is done where the processes are kept; reading here is pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace muster::node {

// "2026-01-02T15:04:05.123456789Z"
std::string format_nanos(Instant at);

// Cuts what one stream of a process writes into entries.
class LineCutter {
public:
    explicit LineCutter(std::string_view stream) : stream_(stream) {}
    // The entries that are complete with this, each with its line's end.
    std::string add(std::string_view data, Instant at);
    // What is left without a line's end when the stream has ended.
    std::string finish(Instant at);

private:
    static constexpr std::size_t kEntryMax = 16384;
    void append_entry(std::string& out, std::string_view text, bool whole, Instant at) const;
    std::string stream_;
    std::string pending_;
};

struct LogSelection {
    std::optional<std::size_t> tail_lines{};
    std::optional<Instant> since{};
    std::optional<std::size_t> limit_bytes{};
    bool timestamps = false;
    std::string stream{};  // stdout or stderr; both when empty
};
// What a client gets of a log's text. Entries that cannot be read (a torn last one) are left out.
std::string select_log(std::string_view log, const LogSelection& selection);

}  // namespace muster::node
