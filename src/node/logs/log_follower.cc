#include "node/logs/log_follower.h"

namespace muster::node {
namespace {

// Where the system has no more watches to give, followers look by themselves.
constexpr Duration kLookAgain = 500ms;
// And until there is a directory to watch.
constexpr Duration kLookForLog = 100ms;

}  // namespace

void LogFollower::on_change() {
    news_ = true;
    changed_.notify();
}

void LogFollower::listen() {
    auto directory =
        places_.directories.watch(request_.path.substr(0, request_.path.rfind('/')), [this] { on_change(); });
    if (directory.ok()) directory_ = std::move(*directory);
    if (!run_) run_ = places_.board.watch(request_.key, [this] { on_change(); });
}

os::Task<Result<>> LogFollower::open() { co_return co_await find(); }

// A run that has said nothing has no log yet, and maybe never will.
os::Task<Result<>> LogFollower::find() {
    if (request_.follow && !directory_) listen();
    auto opening = [path = request_.path, selection = selection_] { return LogCursor::open(path, selection); };
    Result<std::unique_ptr<LogCursor>> cursor = co_await os::offload(places_.loop, places_.worker, std::move(opening));
    if (!cursor.ok() && cursor.error().code == Code::kNotFound) {
        // All that will be in it comes after we were asked.
        selection_.tail_lines.reset();
        co_return Result<>();
    }
    if (!cursor.ok()) co_return cursor.error();
    cursor_ = std::move(*cursor);
    co_return Result<>();
}

os::Task<Result<std::optional<std::string>>> LogFollower::next() {
    using Part = std::optional<std::string>;
    for (;;) {
        // What is there to read once the run has ended is all there will be: so that is asked first.
        const bool goes_on = request_.follow && places_.board.may_run(request_.key);
        news_ = false;
        if (!cursor_) {
            const Result<> found = co_await find();
            if (!found.ok()) co_return found.error();
            if (!cursor_ && !goes_on) co_return Part();
            if (cursor_) continue;
            // Where its directory is watched, the log's first line and the run's end are told.
            if (!directory_) co_await os::sleep_for(places_.loop, kLookForLog);
            while (directory_ && !news_) co_await changed_.wait();
            continue;
        }
        auto reading = [cursor = cursor_] { return cursor->next(); };
        Result<LogCursor::Piece> piece = co_await os::offload(places_.loop, places_.worker, std::move(reading));
        if (!piece.ok()) co_return piece.error();
        if (!piece->text.empty()) co_return Part(std::move(piece->text));
        if (piece->full) co_return Part();
        if (!piece->at_end) continue;
        if (!goes_on) co_return Part();
        if (directory_) {
            while (!news_) co_await changed_.wait();
        } else {
            co_await os::sleep_for(places_.loop, kLookAgain);
        }
    }
}

}  // namespace muster::node
