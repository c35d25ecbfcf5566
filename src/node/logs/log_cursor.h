// Reads a run's log over all its pieces, from where a client wants it to where it ends now, and on from there when it
// has grown. It holds the piece it reads open, so that neither rotation nor the pod's removal takes away what it has
// not told yet. Never more than a bounded part of the log is in memory. Calls block: they are for a worker.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "node/logs/cri_log.h"
#include "os/files/files.h"
#include "os/files/read_file.h"

namespace muster::node {

class LogCursor {
public:
    // kNotFound when there is no such log.
    static Result<std::unique_ptr<LogCursor>> open(const std::string& path, const LogSelection& selection);

    struct Piece {
        std::string text{};   // may be empty although there is more
        bool at_end = false;  // the log has no more now
        bool full = false;    // the client wants no more
    };
    Result<Piece> next();

private:
    static constexpr std::size_t kReadBytes = 64u << 10;
    LogCursor(std::string path, const LogSelection& selection, int number, os::ReadFile file)
        : path_(std::move(path)), text_(selection), number_(number), file_(std::move(file)) {}
    Result<> seek_tail(std::size_t lines);
    Result<std::size_t> read_more();
    bool has_next_piece();

    std::string path_;
    LogText text_;
    int number_;
    os::ReadFile file_;
    std::uint64_t offset_ = 0;
    std::string buffer_;
    os::LinuxFiles files_;
};

// The last lines of a log, as a client gets them, without more than `bytes_max` of them from their end. Empty when
// there is no log.
std::string read_log_tail(const std::string& path, std::size_t lines, std::size_t bytes_max);

}  // namespace muster::node
