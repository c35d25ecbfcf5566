// Makes one request of the bytes that arrive, piece by piece, and refuses what two servers might read in two ways: both
// lengths of a body, folded headers, a space before the colon, stray line ends. Boost.Beast reads the grammar; what it
// tolerates and we do not is refused here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "os/http.h"
#include "os/http_limits.h"

namespace muster::os {

class RequestReader {
public:
    explicit RequestReader(const HttpLimits& limits);
    ~RequestReader();

    enum class State {
        kHead,     // not all headers are there
        kBody,     // all headers are; the body is not
        kDone,     // the request can be taken
        kRefused,  // see refusal
    };
    // Gives how many of the bytes it has used; those that it has not come again, with more behind them.
    std::size_t consume(std::string_view bytes);

    State state() const;
    // The headers ask for "100 Continue" before the body is sent.
    bool expects_continue() const;
    // Whether the peer wants to go on after this request, and can take an answer in chunks.
    bool keeps_alive() const;
    bool takes_chunks() const;
    const HttpRequest& request() const;
    HttpRequest take();

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
