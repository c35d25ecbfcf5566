// One client's reading of one log, on the loop: piece by piece, and, when it follows, on until the run has ended and
// everything is told. Between two pieces it waits without costing anything.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/pods/pod_access.h"
#include "node/logs/log_cursor.h"
#include "node/logs/logs.h"
#include "node/runtime/run_board.h"
#include "os/files/directory_watch.h"
#include "os/loop/task.h"

namespace muster::node {

// What followers share. All must outlive them; files are read on the worker.
struct LogPlaces {
    os::Loop& loop;
    os::Worker& worker;
    os::DirectoryWatches& directories;
    RunBoard& board;
};

class LogFollower final : public client::LogStream {
public:
    LogFollower(LogPlaces places, LogRequest request)
        : places_(places), request_(std::move(request)), selection_(request_.selection), changed_(places.loop) {}

    // Looks for the log. A run that has said nothing may have none: that is an empty one.
    os::Task<Result<>> open() override;
    // The next part, at least a byte; nothing at the end. One at a time, after `open`. Destroying the Task ends it.
    os::Task<Result<std::optional<std::string>>> next() override;

private:
    os::Task<Result<>> find();
    void listen();
    void on_change();

    LogPlaces places_;
    const LogRequest request_;
    LogSelection selection_;
    os::Event changed_;
    bool news_ = false;
    std::shared_ptr<LogCursor> cursor_;  // shared with the worker while it reads
    std::unique_ptr<os::DirectoryWatches::Watch> directory_;
    std::unique_ptr<RunBoard::Watch> run_;
};

}  // namespace muster::node
