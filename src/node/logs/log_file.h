// A run's log on disk: pieces of limited size, "0.log", then "0.log.1", "0.log.2", … The piece with the highest number
// is written; of the others only the newest are kept. A piece is never renamed, so a reader reads a piece to its end,
// continues with the next, and neither loses nor repeats a line. A piece ends with a whole entry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/files/files.h"
#include "os/files/record_file.h"

namespace muster::node {

// As a kubelet's containerLogMaxSize and containerLogMaxFiles.
struct LogLimits {
    std::int64_t size_max = 10 << 20;  // of a piece, in bytes
    std::int64_t files_max = 5;        // pieces, the one that is written included
    bool operator==(const LogLimits&) const = default;
};

// The path of a log's piece of that number; 0 is the path itself.
std::string log_piece(const std::string& path, int number);
// The numbers of the pieces that there are, rising. Empty when there is no log.
std::vector<int> list_log_pieces(os::Files& files, const std::string& path);
void remove_log(os::Files& files, const std::string& path);

class LogFile {
public:
    // A log that is begun; its limits may change, and must outlive it.
    static Result<LogFile> create(os::Files& files, const std::string& path, const LogLimits& limits);
    // A log that an earlier process began.
    static Result<LogFile> reopen(os::Files& files, const std::string& path, const LogLimits& limits);

    // Whole entries. A full disk costs the log's lines, not the process: what cannot be written is lost.
    void append(std::string_view entries);

private:
    LogFile(os::Files& files, std::string path, const LogLimits& limits, int number, std::int64_t size,
            os::RecordFile piece)
        : files_(&files),
          path_(std::move(path)),
          limits_(&limits),
          number_(number),
          size_(size),
          piece_(std::move(piece)) {}
    void begin_next_piece();

    os::Files* files_;
    std::string path_;
    const LogLimits* limits_;
    int number_;
    std::int64_t size_;
    os::RecordFile piece_;
};

}  // namespace muster::node
