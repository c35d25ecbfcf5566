#include "node/keeper/run_notes.h"

#include <charconv>

#include "node/keeper/keeper.h"
#include "node/keeper/run_lines.h"
#include "node/keeper/wire.h"
#include "node/runtime/node_paths.h"
#include "os/process/process_label.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace {

constexpr std::string_view kNote = ".run";
constexpr std::size_t kNoteMax = 64u << 10;

std::vector<std::string> names_in(os::Files& files, const std::string& directory) {
    Result<std::vector<std::string>> names = files.list(directory);
    return names.ok() ? std::move(*names) : std::vector<std::string>();
}

// The oldest process with a run's mark: the others descend from it.
int find_oldest(const std::vector<int>& pids) {
    int oldest = 0;
    std::uint64_t least = 0;
    for (const int pid : pids) {
        const auto ticks = os::process_start_ticks(pid);
        if (!ticks || (oldest != 0 && *ticks >= least)) continue;
        oldest = pid;
        least = *ticks;
    }
    return oldest;
}

}  // namespace

std::string run_note_path(const std::string& directory, const RunKey& key) {
    return pod_directory(directory, key.pod_uid) + '/' + key.container.str() + '/' + std::to_string(key.attempt) +
           std::string(kNote);
}

void write_run_note(os::Files& files, const std::string& directory, const RunRecord& record) {
    const std::string path = run_note_path(directory, record.key);
    if (!files.create_directories(path.substr(0, path.rfind('/')), os::Access::kOnlyUs).ok()) return;
    auto file = os::RecordFile::open(path);
    if (file.ok()) (void)file->append_whole(seal_lines(format_message(record))).ok();
}

std::vector<RunRecord> read_run_notes(os::Files& files, const std::string& directory) {
    std::vector<RunRecord> found;
    for (const std::string& pod : names_in(files, directory + "/pods")) {
        for (const std::string& container : names_in(files, pod_directory(directory, pod))) {
            const std::string above = pod_directory(directory, pod) + '/' + container;
            for (const std::string& name : names_in(files, above)) {
                if (!name.ends_with(kNote)) continue;
                const Result<std::string> text = files.read(above + '/' + name, kNoteMax);
                if (!text.ok()) continue;
                for (const auto& [key, record] : read_run_lines(*text).records)
                    if (run_note_path(directory, key) == above + '/' + name) found.push_back(record);
            }
        }
    }
    return found;
}

std::vector<RunRecord> find_marked_runs(const std::string& directory, const std::string& boot) {
    std::vector<RunRecord> found;
    for (const auto& [mark, pids] : os::find_marked_processes(kRunMark)) {
        const Result<RunKey> key = parse_run_mark(mark);
        const int pid = find_oldest(pids);
        if (!key.ok() || pid == 0 || os::process_variable(pid, kNodeMark) != directory) continue;
        RunRecord& record = found.emplace_back();
        record.key = *key;
        record.state = RunState::kRunning;
        record.pid = pid;
        record.start_ticks = os::process_start_ticks(pid).value_or(0);
        record.log_path = run_log(directory, *key);
        record.boot = boot;
    }
    return found;
}

std::string format_run_mark(const RunKey& key) {
    return key.pod_uid.str() + '/' + key.container.str() + '/' + std::to_string(key.attempt);
}

std::uint64_t run_label(const RunKey& key) { return os::make_label(format_run_mark(key)); }

Result<RunKey> parse_run_mark(std::string_view mark) {
    const std::size_t first = mark.find('/');
    const std::size_t last = mark.rfind('/');
    const Error none{Code::kBadRequest, "not the mark of a run"};
    if (first == std::string_view::npos || first == last) return none;
    RunKey key;
    key.pod_uid = std::string(mark.substr(0, first));
    key.container = std::string(mark.substr(first + 1, last - first - 1));
    const std::string_view number = mark.substr(last + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), key.attempt);
    if (error != std::errc() || end != number.data() + number.size()) return none;
    return key;
}

}  // namespace muster::node
