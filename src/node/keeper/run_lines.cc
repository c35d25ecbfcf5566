#include "node/keeper/run_lines.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "node/keeper/wire.h"
#include "os/machine/digest.h"

namespace muster::node {
namespace {

constexpr std::size_t kChecksumDigits = 8;

std::string format_checksum(std::uint32_t checksum) {
    char digits[kChecksumDigits];
    char* const end = std::to_chars(digits, digits + kChecksumDigits, checksum, 16).ptr;
    const std::string shown(digits, end);
    return std::string(kChecksumDigits - shown.size(), '0') + shown;
}

bool has_checksum(std::string_view line) {
    return line.size() > kChecksumDigits && line[kChecksumDigits] == '\t' &&
           line.substr(0, kChecksumDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The message of a line, or nothing when the line is not what was written.
std::optional<Message> read_line(std::string_view line) {
    if (has_checksum(line)) {
        const std::string_view message = line.substr(kChecksumDigits + 1);
        if (format_checksum(os::crc32(message)) != line.substr(0, kChecksumDigits)) return {};
        line = message;
    }
    Result<Message> message = parse_message(line);
    return message.ok() ? std::optional(std::move(*message)) : std::nullopt;
}

// Earlier versions left a line that a full disk had cut where it was.
bool is_cut_by_earlier_version(std::string_view line) {
    for (const std::string_view word : {"record\t", "run\t", "forget\t"})
        if (line.starts_with(word) || word.starts_with(line)) return true;
    return false;
}

// Calls take(line) for every line that has its end. Gives what is left.
template <class Take>
std::string_view each_line(std::string_view text, const Take& take) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        take(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    return text;
}

int progress(RunState state) {
    if (state == RunState::kIntended) return 0;
    return state == RunState::kRunning ? 1 : 2;
}

}  // namespace

std::string seal_lines(std::string_view lines) {
    std::string sealed;
    const std::string_view left = each_line(lines, [&](std::string_view message) {
        sealed += format_checksum(os::crc32(message)) + '\t';
        sealed.append(message) += '\n';
    });
    CHECK(left.empty(), "a message has its end");
    return sealed;
}

ReadRuns read_run_lines(std::string_view text) {
    ReadRuns out;
    bool sealed = false;
    each_line(text, [&](std::string_view line) { sealed = sealed || has_checksum(line); });
    const std::string_view left = each_line(text, [&](std::string_view line) {
        if (line.empty()) return;
        const auto message = sealed && !has_checksum(line) ? std::nullopt : read_line(line);
        if (!message) {
            if (sealed || !is_cut_by_earlier_version(line)) ++out.damaged_lines;
            return;
        }
        if (const auto* record = std::get_if<RunRecord>(&*message))
            out.records[record->key] = *record;
        else if (const auto* forgotten = std::get_if<ForgetRequest>(&*message))
            erase_runs_of(out.records, forgotten->pod_uid);
        else if (const auto* since = std::get_if<CompleteSince>(&*message))
            out.complete_since = since->at;
    });
    out.whole_bytes = text.size() - left.size();
    return out;
}

std::size_t add_missing_runs(RunMap<RunRecord>& records, const RunMap<RunRecord>& copy) {
    std::size_t added = 0;
    for (const auto& [key, record] : copy) {
        const auto [known, fresh] = records.try_emplace(key, record);
        if (!fresh && progress(known->second.state) >= progress(record.state)) continue;
        known->second = record;
        ++added;
    }
    return added;
}

bool may_have_run(const RunMap<RunRecord>& records, const RunKey& key, Instant complete_since) {
    const RunRecord* latest = nullptr;
    for (const RunKey& run : runs_of(records, key.pod_uid))
        if (run.container == key.container) latest = &records.at(run);
    if (!latest) return true;
    return !latest->active() && latest->ended_at < complete_since;
}

}  // namespace muster::node
