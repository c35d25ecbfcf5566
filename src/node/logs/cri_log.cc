#include "node/logs/cri_log.h"

#include <algorithm>

#include "api/value/time.h"

namespace muster::node {
namespace {

struct Entry {
    std::string_view time;
    std::string_view stream;
    bool whole = true;
    std::string_view text;
};

std::optional<Entry> parse_entry(std::string_view line) {
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    const std::size_t third = second == std::string_view::npos ? second : line.find(' ', second + 1);
    if (third == std::string_view::npos) return {};
    return Entry{line.substr(0, first), line.substr(first + 1, second - first - 1),
                 line.substr(second + 1, third - second - 1) == "F", line.substr(third + 1)};
}

}  // namespace

std::string format_nanos(Instant at) {
    const std::string seconds = api::Time::from_instant(at).text();
    const auto nanos = (at - Instant::from_unix_seconds(at.unix_seconds())).count();
    std::string digits = std::to_string(nanos);
    digits.insert(0, 9 - digits.size(), '0');
    return seconds.substr(0, seconds.size() - 1) + '.' + digits + 'Z';
}

void LineCutter::append_entry(std::string& out, std::string_view text, bool whole, Instant at) const {
    out.append(format_nanos(at)).append(" ").append(stream_).append(whole ? " F " : " P ").append(text) += '\n';
}

std::string LineCutter::add(std::string_view data, Instant at) {
    std::string out;
    while (!data.empty()) {
        const std::size_t end = data.find('\n');
        const std::size_t room = kEntryMax - pending_.size();
        const std::size_t count = std::min({end, data.size(), room});
        pending_.append(data.substr(0, count));
        data.remove_prefix(count);
        const bool whole = !data.empty() && data.front() == '\n';
        if (!whole && pending_.size() < kEntryMax) break;
        append_entry(out, pending_, whole, at);
        pending_.clear();
        if (whole) data.remove_prefix(1);
    }
    return out;
}

std::string LineCutter::finish(Instant at) {
    std::string out;
    if (!pending_.empty()) append_entry(out, pending_, false, at);
    pending_.clear();
    return out;
}

LogText::LogText(const LogSelection& selection)
    // Our times have one length and one zone, so that they compare as texts.
    : since_(selection.since ? format_nanos(*selection.since) : ""),
      stream_(selection.stream),
      timestamps_(selection.timestamps),
      room_(selection.limit_bytes.value_or(std::string::npos)) {}

std::string LogText::add(std::string_view piece) {
    std::string out;
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
        if (torn_.empty()) {
            add_entry(out, piece.substr(0, end));
        } else {
            torn_ += piece.substr(0, end);
            add_entry(out, torn_);
            torn_.clear();
        }
        piece.remove_prefix(end + 1);
        if (full()) return out;
    }
    // What is longer than any entry is none: its end is waited for without keeping it.
    if (torn_.size() < kTornMax) torn_ += piece;
    return out;
}

void LogText::add_entry(std::string& out, std::string_view line) {
    const auto entry = parse_entry(line);
    if (!entry || entry->time < since_) return;
    if (!stream_.empty() && entry->stream != stream_) return;
    const std::size_t before = out.size();
    if (timestamps_ && at_line_start_) out.append(entry->time) += ' ';
    out.append(entry->text);
    if (entry->whole) out += '\n';
    at_line_start_ = entry->whole;
    if (room_ == std::string::npos) return;
    const std::size_t added = std::min(out.size() - before, room_);
    out.resize(before + added);
    room_ -= added;
}

std::optional<std::size_t> find_tail(std::string_view entries, std::size_t& lines, bool is_last) {
    std::size_t end = entries.size();
    while (end > 0) {
        const std::size_t before = end < 2 ? std::string_view::npos : entries.rfind('\n', end - 2);
        const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
        const auto entry = parse_entry(entries.substr(start, end - start - 1));
        const bool ends_line = entry && (entry->whole || is_last);
        if (ends_line && lines == 0) return end;
        if (ends_line) --lines;
        if (entry) is_last = false;
        end = start;
    }
    return {};
}

}  // namespace muster::node
