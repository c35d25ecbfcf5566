// The victim: a process that writes to a store and says on its standard output what it tries and what was acknowledged,
// one line each, until it is killed.
//     open REVISION
//     try WRITER KEY VALUE         VALUE is "-" for a removal
//     ack WRITER REVISION
//     seen REVISION KEY            what a watch for the outside was shown
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::store {

struct WriterOptions {
    std::string directory;
    std::uint64_t seed = 1;
    std::size_t writers = 64;
    std::size_t keys = 20;                        // of each writer
    std::size_t write_buffer_bytes = 256u << 10;  // small, so that tables are written and merged all the time
    std::size_t value_bytes_max = 2000;
};

// Does not return in the good case.
int run_writer(const WriterOptions& options);
// Prints "revision R" and then "KEY REVISION VALUE" of all there is; ends in order, or as a crash would.
int run_dump(const std::string& directory, bool orderly);

}  // namespace muster::store
