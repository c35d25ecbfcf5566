#include "os/http/server/http_request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::os {
namespace http_request_reader_test {

using State = RequestReader::State;

// Feeds `bytes` in pieces of that size, as a connection does: what is not used comes again.
State feed(RequestReader& reader, const std::string& bytes, std::size_t piece) {
    std::string kept;
    reader.read_body();
    for (std::size_t at = 0; at < bytes.size() && reader.state() < State::kDone; at += piece) {
        kept += bytes.substr(at, piece);
        kept.erase(0, reader.consume(kept));
    }
    return reader.state();
}

TEST(RequestReader, ReadsTheSameInWhateverPiecesItArrives) {
    const std::string request =
        "PUT /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "5\r\nhello\r\n0000b;name=\"v\"\r\n, my  world\r\n0\r\nTrailer: t\r\n\r\n";
    for (std::size_t piece = 1; piece <= request.size(); ++piece) {
        const HttpLimits limits;
        RequestReader reader(limits);
        ASSERT_EQ(feed(reader, request, piece), State::kDone) << piece << reader.refusal().message;
        const HttpRequest read = reader.take_head();
        EXPECT_EQ(read.method, "PUT");
        EXPECT_EQ(read.target, "/a?b=c");
        EXPECT_EQ(reader.take_body(), "hello, my  world");
        EXPECT_EQ(read.headers.size(), 3u);
        EXPECT_EQ(read.header("accept"), "*/*");
        EXPECT_EQ(read.header("trailer"), "");
    }
}

TEST(RequestReader, TakesTheUsualForms) {
    for (const std::string request : {
             "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
             "GET / HTTP/1.0\r\n\r\n",
             "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
             "GET /a?continue=x%00y&fieldSelector=a%3Db HTTP/1.1\r\nHost: a\r\n\r\n",
             "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
             "GET / HTTP/1.1\r\nHost:a\r\nX:\r\nY:\t z \t\r\n\r\n",
             "MYVERB /x HTTP/1.1\r\nHost:\r\n\r\n",
         }) {
        const HttpLimits limits;
        RequestReader reader(limits);
        EXPECT_EQ(feed(reader, request, request.size()), State::kDone) << request << reader.refusal().message;
    }
}

TEST(RequestReader, StripsTheOriginOfAnAbsoluteTarget) {
    const HttpLimits limits;
    RequestReader reader(limits);
    ASSERT_EQ(feed(reader, "GET https://host:1/a?b HTTP/1.1\r\nHost: a\r\n\r\n", 1000), State::kDone);
    EXPECT_EQ(reader.take_head().target, "/a?b");
}

TEST(RequestReader, RefusesWhatCanBeReadInTwoWays) {
    const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
    const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
    const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
    const struct {
        const char* name;
        std::string bytes;
        int status = 400;
    } cases[] = {
        {"both lengths", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        {"both lengths, the other way", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"},
        {"two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
        {"the same length twice", post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"},
        {"a list of lengths", post + "Content-Length: 5, 5\r\n\r\nhello"},
        {"a length with a sign", post + "Content-Length: +5\r\n\r\nhello"},
        {"a negative length", post + "Content-Length: -5\r\n\r\nhello"},
        {"a length in hex", post + "Content-Length: 0x5\r\n\r\nhello"},
        {"a length beyond 64 bits", post + "Content-Length: 99999999999999999999\r\n\r\n"},
        {"an empty length", post + "Content-Length:\r\n\r\n"},
        {"another transfer encoding", post + "Transfer-Encoding: gzip\r\n\r\n", 501},
        {"chunked and another", post + "Transfer-Encoding: chunked, gzip\r\n\r\n", 501},
        {"another and chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
        {"chunked twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"chunked in quotes", post + "Transfer-Encoding: \"chunked\"\r\n\r\n", 501},
        {"chunked with a vertical tab", post + "Transfer-Encoding: \vchunked\r\n\r\n"},
        {"chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
        {"a folded header", get + "X: a\r\n b\r\n\r\n"},
        {"a folded header with a tab", get + "X: a\r\n\tb\r\n\r\n"},
        {"a header folded from the start", get + "X:\r\n b\r\n\r\n"},
        {"a first header that is folded", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
        {"a space before the colon", get + "X : a\r\n\r\n"},
        {"a space before the length's colon", post + "Content-Length : 5\r\n\r\nhello"},
        {"no colon", get + "X\r\n\r\n"},
        {"no name", get + ": a\r\n\r\n"},
        {"a space in a name", get + "X Y: a\r\n\r\n"},
        {"a bare line feed", get + "X: a\nY: b\r\n\r\n"},
        {"bare line feeds only", "GET / HTTP/1.1\nHost: a\n\n"},
        {"a bare carriage return", get + "X: a\rY: b\r\n\r\n"},
        {"NUL in a value", get + std::string("X: a\0b\r\n\r\n", 10)},
        {"NUL in a name", get + std::string("X\0Y: b\r\n\r\n", 10)},
        {"NUL in the target", std::string("GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", 30)},
        {"a tab in the target", "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"a target that is no path", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"no host", "GET / HTTP/1.1\r\n\r\n"},
        {"two hosts", get + "Host: b\r\n\r\n"},
        {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        {"HTTP/0.9", "GET /\r\n\r\n"},
        {"no protocol", "GET / FTP/1.1\r\nHost: a\r\n\r\n"},
        {"an unknown expectation", get + "Expect: miracles\r\n\r\n", 417},
        {"a chunk size with a sign", chunked + "+5\r\nhello\r\n0\r\n\r\n"},
        {"a chunk size with a prefix", chunked + "0x5\r\nhello\r\n0\r\n\r\n"},
        {"a chunk size that is none", chunked + "g\r\nhello\r\n0\r\n\r\n"},
        {"an empty chunk size", chunked + "\r\nhello\r\n0\r\n\r\n"},
        {"a chunk size with a space before", chunked + " 5\r\nhello\r\n0\r\n\r\n"},
        {"a chunk size beyond 64 bits", chunked + "10000000000000005\r\nhello\r\n0\r\n\r\n"},
        {"a chunk longer than its size", chunked + "4\r\nhello\r\n0\r\n\r\n"},
        {"a chunk line that ends in a bare line feed", chunked + "5\nhello\r\n0\r\n\r\n"},
    };
    for (const auto& refused : cases) {
        for (const std::size_t piece : {refused.bytes.size(), std::size_t{1}}) {
            const HttpLimits limits;
            RequestReader reader(limits);
            EXPECT_EQ(feed(reader, refused.bytes, piece), State::kRefused) << refused.name << ", pieces of " << piece;
            EXPECT_EQ(reader.refusal().status, refused.status) << refused.name << ": " << reader.refusal().message;
        }
    }
}

}  // namespace http_request_reader_test
}  // namespace muster::os
