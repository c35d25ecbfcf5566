#include "server/rest/streams/websocket_stream.h"

#include <algorithm>

#include "api/codec/base64.h"
#include "os/http/websocket.h"

namespace muster::server {
namespace {

constexpr std::size_t kPieceMax = 32u << 10;
constexpr std::size_t kReceivedMax = 64u << 10;  // of a client's message, of which none is expected
constexpr std::size_t kSizeBytes = 4;

std::size_t read_size(std::string_view bytes) {
    std::size_t size = 0;
    for (const char c : bytes.substr(0, kSizeBytes)) size = size << 8 | static_cast<unsigned char>(c);
    return size;
}

// The next message of a chunk that is not empty, which is taken from it.
std::string_view take_message(MessageForm form, std::string_view& chunk) {
    std::size_t head = 0;
    std::size_t size = std::min(chunk.size(), kPieceMax);
    if (form == MessageForm::kLines) size = std::min(chunk.find('\n'), chunk.size() - 1) + 1;
    if (form == MessageForm::kSized) {
        head = kSizeBytes;
        size = read_size(chunk);
        CHECK(chunk.size() >= head + size, "a chunk holds whole messages");
    }
    const std::string_view message = chunk.substr(head, size);
    chunk.remove_prefix(head + size);
    return message;
}

class WebSocketStream final : public os::HttpStream {
public:
    WebSocketStream(os::Loop& loop, os::HttpExchange& exchange, os::HttpResponse head, MessageForm form, os::Work left,
                    std::shared_ptr<os::ByteBudget> budget)
        : form_(form),
          loop_(loop),
          left_(std::move(left)),
          budget_(std::move(budget)),
          self_(std::make_shared<WebSocketStream*>(this)) {
        tunnel_ = exchange.upgrade(std::move(head), [&loop, self = self_](std::string_view bytes) {
            loop.post([self, received = std::string(bytes)] {
                if (*self) (*self)->receive(received);
            });
        });
        // As upstream: the client knows that the log is open.
        if (form_ == MessageForm::kPieces) send(os::websocket_frame(os::WebSocketOpcode::kBinary, ""));
        if (form_ == MessageForm::kPiecesBase64) send(os::websocket_frame(os::WebSocketOpcode::kText, ""));
    }
    ~WebSocketStream() override { *self_ = nullptr; }

    void write(os::SharedBytes chunk) override { send(frame_chunk(form_, *chunk)); }
    void finish() override {
        if (over_) return;
        send(os::websocket_close_frame(os::WebSocketClose::kNormal));
        over_ = true;
        tunnel_->finish();
    }
    std::size_t unsent() const override { return tunnel_->unsent(); }

private:
    void send(std::string frames) {
        if (!over_ && !frames.empty()) tunnel_->write(budget_->share(std::move(frames)));
    }

    void receive(std::string_view bytes) {
        if (over_) return;
        std::vector<os::WebSocketMessage> messages;
        const Result<> read = reader_.add(bytes, messages);
        tunnel_->took(bytes.size());
        bool leaves = !read.ok();
        for (const os::WebSocketMessage& message : messages) {
            if (message.opcode == os::WebSocketOpcode::kPing)
                send(os::websocket_frame(os::WebSocketOpcode::kPong, message.payload));
            leaves = leaves || message.opcode == os::WebSocketOpcode::kClose;
        }
        if (!leaves) return;
        finish();
        loop_.post(std::move(left_));
    }

    const MessageForm form_;
    os::Loop& loop_;
    os::Work left_;
    const std::shared_ptr<os::ByteBudget> budget_;
    const std::shared_ptr<WebSocketStream*> self_;
    os::WebSocketReader reader_{kReceivedMax};
    std::unique_ptr<os::HttpTunnel> tunnel_;
    bool over_ = false;
};

}  // namespace

std::string frame_chunk(MessageForm form, std::string_view chunk) {
    std::string frames;
    while (!chunk.empty()) {
        const std::string_view message = take_message(form, chunk);
        if (form == MessageForm::kPiecesBase64) {
            std::string text;
            api::append_base64(message, text);
            frames += os::websocket_frame(os::WebSocketOpcode::kText, text);
        } else {
            const bool is_text = form == MessageForm::kLines;
            frames += os::websocket_frame(is_text ? os::WebSocketOpcode::kText : os::WebSocketOpcode::kBinary, message);
        }
    }
    return frames;
}

std::unique_ptr<os::HttpStream> stream_messages(os::Loop& loop, os::HttpExchange& exchange, Upgrade upgrade,
                                                MessageForm form, os::Work left,
                                                std::shared_ptr<os::ByteBudget> budget) {
    return std::make_unique<WebSocketStream>(loop, exchange, std::move(upgrade.head), form, std::move(left),
                                             std::move(budget));
}

}  // namespace muster::server
