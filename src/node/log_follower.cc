#include "node/log_follower.h"

namespace muster::node {
namespace {

// Where the system has no more watches to give, followers look by themselves.
constexpr Duration kLookAgain = 500ms;

}  // namespace

void LogFollower::on_change() {
    news_ = true;
    changed_.notify();
}

void LogFollower::listen() {
    auto directory =
        places_.directories.watch(request_.path.substr(0, request_.path.rfind('/')), [this] { on_change(); });
    if (directory.ok()) directory_ = std::move(*directory);
    run_ = places_.board.watch(request_.key, [this] { on_change(); });
}

os::Task<Result<>> LogFollower::open() {
    if (request_.follow) listen();
    auto opening = [path = request_.path, selection = request_.selection] { return LogCursor::open(path, selection); };
    Result<std::unique_ptr<LogCursor>> cursor = co_await os::offload(places_.loop, places_.worker, std::move(opening));
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
