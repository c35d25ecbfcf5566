// Makes one request of the bytes that arrive, piece by piece, and refuses what two servers might read in two ways: both
// lengths of a body, folded headers, a space before the colon, stray line ends. Boost.Beast reads the grammar; what it
// tolerates and we do not is refused here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "os/http/http.h"
#include "os/http/http_limits.h"

namespace muster::os {

class RequestReader {
public:
    explicit RequestReader(const HttpLimits& limits);
    ~RequestReader();

    enum class State {
        kHead,     // not all headers are there
        kBody,     // all headers are; the body is not
        kDone,     // all of it is there
        kRefused,  // see refusal
    };
    // Gives how many of the bytes it has used; those that it has not come again, with more behind them. Uses none of a
    // body before `read_body` or `skip_body`.
    std::size_t consume(std::string_view bytes);

    State state() const;
    // The headers ask for "100 Continue" before the body is sent.
    bool expects_continue() const;
    // Whether the peer wants to go on after this request, and can take an answer in chunks.
    bool keeps_alive() const;
    bool takes_chunks() const;
    const HttpRequest& request() const;
    // When all headers are there. Nothing of it may be asked for here afterwards.
    HttpRequest take_head();

    void read_body();
    // What is kept of it.
    std::size_t body_bytes() const;
    std::string take_body();
    // Reads the rest of the body without keeping it. False when that could take long: more than `bytes_max` are left,
    // or it is not said how many, or the peer waits to be told whether to send it.
    bool skip_body(std::size_t bytes_max);

    struct Refusal {
        int status = 400;
        std::string message;
    };
    const Refusal& refusal() const;

private:
    class Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace muster::os
