// Makes a response of the bytes that arrive: the head, then the body piece by piece, freed of chunks.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "os/http/client/http_client.h"

namespace muster::os {

class ResponseReader {
public:
    // The answer to HEAD has no body, whatever its head says.
    explicit ResponseReader(bool to_head);
    ~ResponseReader();

    // Gives how many bytes it has used; those that it has not come again, with more behind them. kBadRequest when it is
    // no HTTP. Interim responses (100) are skipped.
    Result<std::size_t> consume(std::string_view bytes);
    // The connection has ended: that may be the body's end, or kUnavailable.
    Result<> end();

    bool head_done() const;
    bool done() const;
    bool keeps_alive() const;
    HttpAnswerHead& head();
    // What has arrived of the body since the last call.
    std::string take_body();

private:
    class Parser;
    std::unique_ptr<Parser> parser_;
    const bool to_head_;
};

}  // namespace muster::os
