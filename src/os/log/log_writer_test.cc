#include "os/log/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "os/descriptor.h"

namespace muster::os {
namespace log_writer_test {

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        reader = Descriptor(ends[0]);
        writer = Descriptor(ends[1]);
    }
    std::string read_all() {
        writer.close();
        std::string out;
        std::array<char, 65536> piece{};
        for (ssize_t got = 1; got > 0;) {
            got = ::read(reader.number(), piece.data(), piece.size());
            if (got > 0) out.append(piece.data(), static_cast<std::size_t>(got));
        }
        return out;
    }
    Descriptor reader;
    Descriptor writer;
};

TEST(LogWriter, WhatWasGivenIsWrittenInOrderBeforeItEnds) {
    Pipe pipe;
    std::string expected;
    {
        LogWriter writer(pipe.writer.number());
        for (int i = 0; i < 1000; ++i) {
            const std::string line = "line " + std::to_string(i) + "\n";
            expected += line;
            EXPECT_TRUE(writer.write(line));
        }
    }
    EXPECT_EQ(pipe.read_all(), expected);
}

TEST(LogWriter, AReaderThatDoesNotReadHoldsUpNothing) {
    Pipe pipe;
    const auto began = std::chrono::steady_clock::now();
    int refused = 0;
    {
        LogWriter writer(pipe.writer.number(), 256u << 10);
        const std::string line = std::string(999, 'x') + "\n";
        for (int i = 0; i < 2000; ++i) refused += writer.write(line) ? 0 : 1;
        // A pipe holds 64 KiB, the writer 256, and as much again that it is writing.
        EXPECT_GT(refused, 1000);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
}

}  // namespace log_writer_test
}  // namespace muster::os
