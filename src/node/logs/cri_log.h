// A container's log, in the format of the Container Runtime Interface: "<time> stdout F <line>", P in place of F for a
// piece of a line that goes on in the next entry. All of it is pure: log_file.h writes, log_cursor.h reads.
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

// Makes the text that a client gets from the log's text, which is read in pieces that may be cut anywhere. The caller
// finds where the last lines begin (find_tail). Entries that cannot be parsed are left out.
class LogText {
public:
    explicit LogText(const LogSelection& selection);
    std::string add(std::string_view piece);
    // As many bytes as were asked for have been given.
    bool full() const { return room_ == 0; }

private:
    static constexpr std::size_t kTornMax = 1u << 20;
    void add_entry(std::string& out, std::string_view line);

    std::string since_;
    std::string stream_;
    bool timestamps_;
    std::size_t room_;
    std::string torn_;  // an entry whose end has not come yet
    bool at_line_start_ = true;
};

// Where, in a text of whole entries that reaches back from some place, the last lines begin. `lines` is how many are
// still wanted, and is counted down; nothing when they begin before the text. A piece of a line counts with the piece
// that ends it; the very last of a log (`is_last`) ends one in any case.
std::optional<std::size_t> find_tail(std::string_view entries, std::size_t& lines, bool is_last);

}  // namespace muster::node
