#include "node/cri_log.h"

#include <algorithm>
#include <vector>

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

std::vector<Entry> parse_log(std::string_view log, const LogSelection& selection) {
    // Our times have one length and one zone, so that they compare as texts.
    const std::string since = selection.since ? format_nanos(*selection.since) : "";
    std::vector<Entry> entries;
    for (std::size_t end = log.find('\n'); end != std::string_view::npos; end = log.find('\n')) {
        const auto entry = parse_entry(log.substr(0, end));
        log.remove_prefix(end + 1);
        if (!entry || entry->time < since) continue;
        if (!selection.stream.empty() && entry->stream != selection.stream) continue;
        entries.push_back(*entry);
    }
    return entries;
}

// Where the last lines begin; pieces of a line count with the piece that ends it.
std::size_t tail_start(const std::vector<Entry>& entries, std::size_t lines) {
    std::size_t at = entries.size();
    for (std::size_t left = lines; at > 0; --at) {
        const bool ends_line = entries[at - 1].whole || at == entries.size();
        if (ends_line && left-- == 0) return at;
    }
    return 0;
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

std::string select_log(std::string_view log, const LogSelection& selection) {
    const std::vector<Entry> entries = parse_log(log, selection);
    const std::size_t from = selection.tail_lines ? tail_start(entries, *selection.tail_lines) : 0;
    std::string out;
    bool at_line_start = true;
    for (std::size_t i = from; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        if (selection.timestamps && at_line_start) out.append(entry.time) += ' ';
        out.append(entry.text);
        if (entry.whole) out += '\n';
        at_line_start = entry.whole;
        if (selection.limit_bytes && out.size() >= *selection.limit_bytes) break;
    }
    if (selection.limit_bytes && out.size() > *selection.limit_bytes) out.resize(*selection.limit_bytes);
    return out;
}

}  // namespace muster::node
