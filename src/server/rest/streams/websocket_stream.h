// An answer that goes on (a watch, a log) as messages of a WebSocket instead of chunks. Those who write it do not know:
// they write the same chunks to an HttpStream. What the client sends is not looked at, but for pings and its goodbye.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "os/http/http.h"
#include "os/loop/loop.h"
#include "os/machine/byte_budget.h"
#include "server/rest/streams/remote_command.h"

namespace muster::server {

// What of a chunk is one message.
enum class MessageForm {
    kLines,         // each line with its end: text
    kSized,         // what stands behind a length of four bytes, without it: binary
    kPieces,        // bytes as they come: binary
    kPiecesBase64,  // the same in base64: text
};

// The chunk's frames. It holds whole lines, or whole sized messages.
std::string frame_chunk(MessageForm form, std::string_view chunk);

// Answers the exchange with the upgrade's head. `left` is called on the loop, at most once, when the client says
// goodbye; that a client is gone without a word is told by the exchange. To be used on the loop, which must outlive it.
// What the client has not taken counts in the budget.
std::unique_ptr<os::HttpStream> stream_messages(os::Loop& loop, os::HttpExchange& exchange, Upgrade upgrade,
                                                MessageForm form, os::Work left,
                                                std::shared_ptr<os::ByteBudget> budget);

}  // namespace muster::server
