#include "node/inside/inside_session.h"

#include "node/inside/inside.h"
#include "os/process/pipe_end.h"
#include "os/process/process_table.h"
#include "os/process/terminal.h"

namespace muster::node {
namespace {

constexpr std::size_t kReadMax = 32u << 10;
constexpr int kSignalled = 128;

class InsideSession final : public os::Session {
public:
    explicit InsideSession(os::RealLoop& loop) : loop_(loop), changed_(loop), tasks_(loop) {}
    ~InsideSession() override {
        if (process_) (void)process_->signal(os::kKillSignal).ok();
    }

    Result<> start(os::Processes& processes, RunBoard& board, const InsideRequest& request) {
        const auto pid = board.find_process(request.key);
        if (!pid) return Error{Code::kInternal, "container not found (\"" + request.key.container.str() + "\")"};
        InsideCommand command;
        command.pid = *pid;
        command.command = request.command;
        command.terminal = request.terminal;
        TRY_ASSIGN(const Theirs theirs, request.terminal ? open_tty(command) : open_pipes(request, command));
        auto process = start_inside(processes, command, [&](std::uint64_t label) { board.enter(label); });
        if (!process.ok()) return Error{Code::kIo, "error executing command in container: " + process.error().message};
        process_ = std::move(*process);
        tasks_.spawn(await_end());
        run_ = board.watch(request.key, [this] { (void)process_->signal(os::kKillSignal).ok(); });
        return {};
    }

    os::Task<std::optional<Output>> next() override {
        using Next = std::optional<Output>;
        for (;;) {
            // Asked first: what the group wrote before its end is there once it has ended.
            const bool ended = process_->end().has_value();
            Output output;
            const bool more_output = output_ && output_->read(output.bytes, kReadMax);
            if (!output.bytes.empty()) co_return Next(std::move(output));
            output.is_error = true;
            const bool more_errors = errors_ && errors_->read(output.bytes, kReadMax);
            if (!output.bytes.empty()) co_return Next(std::move(output));
            if (!more_output) output_.reset();
            if (!more_errors) errors_.reset();
            if (ended) co_return Next();
            co_await changed_.wait();
        }
    }

    os::Task<void> write(std::string bytes) override {
        std::string_view rest = bytes;
        while (!rest.empty() && !process_->end()) {
            const auto count = to() ? to()->write(rest) : std::nullopt;
            if (!count) co_return;
            rest.remove_prefix(*count);
            if (*count == 0) co_await changed_.wait();
        }
    }

    void end_input() override {
        // A terminal stays open in the other direction; its end of input is a character.
        if (terminal_) {
            if (output_) (void)output_->write("\x04");
            return;
        }
        input_.reset();
    }

    void resize(int columns, int rows) override {
        if (terminal_ && output_) os::resize_terminal(output_->descriptor(), columns, rows);
    }

    Result<int> end() const override {
        const auto& end = process_->end();
        CHECK(end, "a session's end is asked for when it has ended");
        return end->signal != 0 ? kSignalled + end->signal : end->code;
    }

private:
    // What the command gets; ours to close once it has it.
    struct Theirs {
        os::Descriptor input{};
        os::Descriptor output{};
        os::Descriptor errors{};
    };

    std::unique_ptr<os::PipeEnd> end_of(os::Descriptor ours) {
        return std::make_unique<os::PipeEnd>(loop_, std::move(ours), [this] { changed_.notify(); });
    }
    os::PipeEnd* to() const { return terminal_ ? output_.get() : input_.get(); }

    Result<Theirs> open_tty(InsideCommand& command) {
        TRY_ASSIGN(os::TerminalPair pair, os::open_terminal());
        Theirs theirs;
        theirs.input = std::move(pair.theirs);
        command.input = command.output = command.error = theirs.input.number();
        command.extra_environment.push_back("TERM=xterm");
        output_ = end_of(std::move(pair.ours));
        terminal_ = true;
        return theirs;
    }

    Result<Theirs> open_pipes(const InsideRequest& request, InsideCommand& command) {
        Theirs theirs;
        if (request.input) {
            TRY_ASSIGN(os::Pipe pipe, os::make_pipe());
            theirs.input = std::move(pipe.read);
            command.input = theirs.input.number();
            input_ = end_of(std::move(pipe.write));
        }
        if (request.output) {
            TRY_ASSIGN(os::Pipe pipe, os::make_pipe());
            theirs.output = std::move(pipe.write);
            command.output = theirs.output.number();
            output_ = end_of(std::move(pipe.read));
        }
        if (request.errors) {
            TRY_ASSIGN(os::Pipe pipe, os::make_pipe());
            theirs.errors = std::move(pipe.write);
            command.error = theirs.errors.number();
            errors_ = end_of(std::move(pipe.read));
        }
        return theirs;
    }

    os::Task<void> await_end() {
        (void)co_await process_->wait();
        changed_.notify();
    }

    os::RealLoop& loop_;
    os::Event changed_;
    bool terminal_ = false;
    std::unique_ptr<os::PipeEnd> input_;
    std::unique_ptr<os::PipeEnd> output_;  // of a terminal both ways
    std::unique_ptr<os::PipeEnd> errors_;
    std::shared_ptr<os::Process> process_;
    std::unique_ptr<RunBoard::Watch> run_;
    os::TaskScope tasks_;
};

}  // namespace

Result<std::unique_ptr<os::Session>> start_inside_session(os::RealLoop& loop, os::Processes& processes, RunBoard& board,
                                                          const InsideRequest& request) {
    auto session = std::make_unique<InsideSession>(loop);
    TRY(session->start(processes, board, request));
    return std::unique_ptr<os::Session>(std::move(session));
}

}  // namespace muster::node
