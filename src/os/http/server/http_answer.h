// An answer on its way out: its head, then its body or the chunks of its stream, cut into slices that fill a TLS record
// each, so that a hundred small events cost one record and one system call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/http/http.h"
#include "os/http/http_limits.h"

namespace muster::os {

// What the request lets the answer be.
struct AnswerTerms {
    bool head_only = false;    // HEAD
    bool takes_gzip = false;   //
    bool takes_chunks = true;  // HTTP/1.1; else a stream ends with the connection
    bool keeps_alive = true;
};

class HttpAnswer {
public:
    static constexpr std::size_t kSliceMax = 16'384;

    // Makes the body if it is still to be made, and compresses it if that is worth it.
    static HttpAnswer whole(const AnswerTerms& terms, HttpResponse response, std::string_view date,
                            const HttpLimits& limits);
    // The response's own body is not looked at.
    static HttpAnswer stream(const AnswerTerms& terms, HttpResponse head, std::string_view date);
    // The head of another protocol, and then its bytes as they are.
    static HttpAnswer upgrade(HttpResponse head, std::string_view date);

    void add(std::vector<SharedBytes> chunks);
    // An empty vector that was used before: a stream that is written all the time allocates nothing.
    std::vector<SharedBytes> take_room();
    void finish() { finished_ = true; }

    struct Slice {
        std::string_view bytes;       // valid until the next call, and as long as `scratch` is not touched
        std::size_t chunk_bytes = 0;  // how many of them are of added chunks
    };
    // The next bytes to send, kSliceMax at most; none when there are none now. `scratch` is overwritten.
    Slice next(std::string& scratch);
    // Everything has been given by `next`.
    bool complete() const;
    bool is_stream() const { return is_stream_; }
    // What it alone keeps in memory; bytes that it shares with others are not its own.
    std::size_t own_bytes() const;
    // The connection ends with this answer.
    bool closes() const { return closes_; }

private:
    Slice next_of_body(std::string& scratch);
    Slice next_of_stream(std::string& scratch);
    std::size_t gather_chunks(std::string& scratch, std::size_t room);

    std::string head_;  // until it is given
    std::variant<std::string, SharedBytes> body_;
    std::string_view rest_of_body() const;
    std::size_t body_at_ = 0;

    bool is_stream_ = false;
    bool chunked_ = false;
    bool finished_ = true;
    bool end_given_ = false;
    bool closes_ = false;
    bool drops_body_ = false;
    std::vector<SharedBytes> chunks_;
    std::size_t chunk_ = 0;     // the first that is not given
    std::size_t chunk_at_ = 0;  // and where in it
};

// "Not Found"; empty for a status without a name.
std::string_view reason_phrase(int status);

}  // namespace muster::os
