#include "node/keeper/kept_run.h"

#include "base/check.h"
#include "node/keeper/run_notes.h"
#include "node/keeper/start/program.h"
#include "os/files/files.h"
#include "os/files/open_file.h"
#include "os/process/terminal.h"

namespace muster::node {

void KeptRun::begin_reading() {
    for (Unread& unread : unread_)
        readers_.push_back(std::make_unique<os::OutputReader>(
            loop_, std::move(unread.ours),
            [this, cutter = &unread.cutter](std::string_view data) { write(cutter->add(data, loop_.now())); }));
    unread_.clear();
}

void KeptRun::begin_log() {
    if (log_) return;
    const std::string directory = log_path_.substr(0, log_path_.rfind('/'));
    if (!os::make_directories(directory).ok()) return;
    Result<LogFile> log =
        reopened_ ? LogFile::reopen(files_, log_path_, limits_) : LogFile::create(files_, log_path_, limits_);
    if (log.ok()) log_.emplace(std::move(*log));
}

void KeptRun::write(const std::string& entries) {
    if (entries.empty()) return;
    begin_log();
    if (log_) log_->append(entries);
}

void KeptRun::hold(const RunKey& key, os::Descriptor ours, bool terminal, RunStreams::Tell tell) {
    CHECK(!streams, "a run has one input");
    streams = std::make_unique<RunStreams>(
        loop_, key, std::move(ours), terminal, [this](std::string_view data) { write(output_.add(data, loop_.now())); },
        std::move(tell));
}

void KeptRun::finish_log() {
    if (streams) streams->drain();
    for (const Unread& unread : unread_)
        os::read_available(unread.ours, [&](std::string_view data) { write(unread.cutter.add(data, loop_.now())); });
    unread_.clear();
    for (const auto& reader : readers_) reader->drain();
    readers_.clear();
    write(output_.finish(loop_.now()));
    write(errors_.finish(loop_.now()));
}

Result<> KeptRun::signal(int number) {
    if (process) return process->signal(number);
    if (foreign) return foreign->signal(number);
    return {};
}

namespace {

// What a run reads and writes, until it has its own.
struct RunEnds {
    os::OutputPipe output{};
    os::OutputPipe errors{};
    os::Descriptor held{};   // ours, of its input or its terminal
    os::Descriptor given{};  // and what it gets of that
};

Result<RunEnds> make_ends(const RunRequest& request, os::ProcessSpec& spec) {
    RunEnds ends;
    if (request.terminal) {
        TRY_ASSIGN(os::TerminalPair terminal, os::open_terminal());
        ends.held = std::move(terminal.ours);
        ends.given = std::move(terminal.theirs);
        spec.input = spec.output = spec.error = ends.given.number();
        spec.terminal = true;
        return ends;
    }
    if (request.input) {
        TRY_ASSIGN(os::Pipe pipe, os::make_pipe());
        ends.held = std::move(pipe.write);
        ends.given = std::move(pipe.read);
        spec.input = ends.given.number();
    }
    TRY_ASSIGN(ends.output, os::make_output_pipe());
    TRY_ASSIGN(ends.errors, os::make_output_pipe());
    spec.output = ends.output.theirs.number();
    spec.error = ends.errors.theirs.number();
    return ends;
}

}  // namespace

Result<BegunRun> begin_run(const os::RealLoop& loop, RunRequest& request, std::vector<int> namespaces,
                           std::atomic<int>* number_at) {
    std::vector<std::string> programs;
    if (sees_other_files(request.setup)) {
        programs = program_candidates(request);
    } else {
        TRY_ASSIGN(std::string program, find_program(request));
        programs.push_back(std::move(program));
    }
    os::ProcessSpec spec;
    TRY_ASSIGN(RunEnds ends, make_ends(request, spec));
    spec.program = std::move(programs.front());
    spec.alternatives.assign(std::make_move_iterator(programs.begin() + 1), std::make_move_iterator(programs.end()));
    // Lent: copies would be made and dropped for every start.
    const auto exchange = [&] {
        spec.setup.swap(request.setup);
        spec.arguments.swap(request.command);
        spec.environment.swap(request.environment);
    };
    exchange();
    spec.directory = request.directory.empty() ? "/" : request.directory;
    spec.number_at = number_at;
    spec.namespaces = std::move(namespaces);
    spec.marked = true;
    spec.label = run_label(request.key);
    BegunRun begun;
    begun.label = spec.label;
    begun.at = loop.now();
    Result<os::LinuxProcesses::Launched> launched = os::LinuxProcesses::launch(spec);
    exchange();
    if (!launched.ok()) return Error{launched.error().code, start_failure(request, launched.error())};
    begun.launched = std::move(*launched);
    begun.output = std::move(ends.output.ours);
    begun.errors = std::move(ends.errors.ours);
    begun.held = std::move(ends.held);
    begun.terminal = request.terminal;
    return begun;
}

}  // namespace muster::node
