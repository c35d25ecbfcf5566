#include "os/testing/test_proxy.h"

#include <array>

namespace muster::os {
namespace {

template <class From, class Into>
Task<void> pump(From& from, Into& into) {
    std::array<char, 4096> buffer;
    for (;;) {
        const Result<std::size_t> count = co_await from.read(buffer);
        if (!count.ok() || *count == 0) break;
        const Result<> written = co_await into.write({buffer.data(), *count});
        if (!written.ok()) break;
    }
    into.close();
}

}  // namespace

TestProxy::TestProxy(TlsContext tls, const std::string& answer)
    : tls_(std::move(tls)), answer_(answer + "\r\n\r\n"), listener_(network_.listen(Address("127.0.0.1", 0)).value()) {
    thread_ = std::thread([this] { loop_.run(accept_all()); });
}

TestProxy::~TestProxy() {
    loop_.post([this] { listener_->close(); });
    thread_.join();
}

std::vector<std::string> TestProxy::heads() const {
    const std::lock_guard lock(mutex_);
    return heads_;
}

Task<void> TestProxy::accept_all() {
    TaskScope connections(loop_);
    for (;;) {
        Result<std::unique_ptr<Stream>> stream = co_await listener_->accept();
        if (!stream.ok()) break;
        connections.spawn(serve(*std::move(stream)));
    }
}

Task<void> TestProxy::serve(std::unique_ptr<Stream> stream) {
    ClientConnection inside(std::move(stream), tls_ ? TlsSession::of_server(tls_) : nullptr);
    for (;;) {
        std::string head;
        while (!head.ends_with("\r\n\r\n")) {
            char byte;
            const Result<std::size_t> count = co_await inside.read({&byte, 1});
            if (!count.ok() || *count == 0) co_return;
            head += byte;
        }
        {
            const std::lock_guard lock(mutex_);
            heads_.push_back(head);
        }
        if (head.starts_with("CONNECT ")) {
            const std::size_t begin = head.find(' ') + 1;
            co_await carry(inside, head.substr(begin, head.find(' ', begin) - begin));
            co_return;
        }
        const std::string body = kOwnAnswer;
        const std::string own = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        const Result<> written = co_await inside.write(own);
        if (!written.ok()) co_return;
    }
}

Task<void> TestProxy::carry(ClientConnection& inside, std::string place) {
    const Result<> written = co_await inside.write(answer_);
    if (!written.ok() || answer_.find(" 200 ") == std::string::npos) co_return;
    Result<std::unique_ptr<Stream>> outside = co_await network_.connect(parse_address(place).value());
    if (!outside.ok()) co_return;
    TaskScope back(loop_);
    back.spawn(pump(**outside, inside));
    co_await pump(inside, **outside);
}

}  // namespace muster::os
