#include "os/http/spdy.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace muster::os {
namespace spdy_test {

std::string describe(const SpdyEvent& event) {
    static constexpr const char* kNames[] = {"open", "data", "reset", "ping", "goaway"};
    std::string told = std::string(kNames[static_cast<int>(event.kind)]) + ' ' + std::to_string(event.stream);
    for (const HttpHeader& header : event.headers) told += ' ' + header.name + '=' + header.value;
    if (!event.bytes.empty()) told += ' ' + event.bytes;
    return told + (event.last ? " last; " : "; ");
}

std::string read_spdy(std::string_view bytes, std::size_t size) {
    SpdyReader reader;
    std::string told;
    while (!bytes.empty()) {
        std::vector<SpdyEvent> events;
        const Result<> added = reader.add(bytes.substr(0, size), events);
        for (const SpdyEvent& event : events) told += describe(event);
        if (!added.ok()) return told + added.error().message;
        bytes.remove_prefix(std::min(size, bytes.size()));
    }
    return told;
}

// As a client sends it.
std::string control(int type, std::string_view payload) {
    std::string frame("\x80\x03\x00", 3);
    frame += static_cast<char>(type);
    frame += std::string(3, '\0');
    frame += static_cast<char>(payload.size());
    return frame.append(payload);
}

TEST(SpdyReader, MakesEventsOfFramesHoweverTheyAreCut) {
    const std::string bytes = SpdyWriter::data(1, "hello", false) + SpdyWriter::ping(7) +
                              control(4, std::string(4, '\0')) + SpdyWriter::data(3, "", true) +
                              control(3, std::string("\0\0\0\5\0\0\0\1", 8)) + SpdyWriter::go_away();
    const std::string told = "data 1 hello; ping 7; data 3 last; reset 5; goaway 0; ";
    for (const std::size_t size : {std::size_t{1}, std::size_t{5}, bytes.size()})
        EXPECT_EQ(read_spdy(bytes, size), told) << "in pieces of " << size;
}

TEST(SpdyReader, RefusesWhatIsNone) {
    EXPECT_EQ(read_spdy("GET / HTTP/1.1\r\n\r\n", 100), "a frame is too large");
    EXPECT_EQ(read_spdy(std::string("\x80\x02\0\1\0\0\0\0", 8), 100), "a frame is of another version");
    EXPECT_EQ(read_spdy(control(1, "short"), 100), "a frame that opens a stream is cut");
    EXPECT_EQ(read_spdy(control(1, "0123456789 not compressed"), 100), "headers cannot be decompressed");
    EXPECT_EQ(read_spdy(control(6, "xy"), 100), "a control frame is cut");
}

TEST(SpdyReader, SurvivesAnyBytes) {
    Prng random(11);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes =
            SpdyWriter::data(1, "hello", false) + control(1, std::string(30, 'x')) + SpdyWriter::ping(7);
        for (int change = 0; change < 4; ++change)
            bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
        EXPECT_EQ(read_spdy(bytes, 1), read_spdy(bytes, bytes.size()));
    }
}

TEST(SpdyWriter, RepliesAreCompressedOneAfterTheOther) {
    SpdyWriter writer;
    const std::string first = writer.reply(1);
    const std::string second = writer.reply(3);
    EXPECT_EQ(first.substr(0, 4), std::string("\x80\x03\x00\x02", 4));
    EXPECT_EQ(first.substr(8, 4), std::string("\0\0\0\1", 4));
    EXPECT_EQ(second.substr(8, 4), std::string("\0\0\0\3", 4));
    EXPECT_LT(second.size(), first.size()) << "the beginning of the compressed stream is sent once";
}

}  // namespace spdy_test
}  // namespace muster::os
