// An HTTP exchange without a network: what the server answers is kept for the test to look at, and the test plays the
// client that reads, does not read, or goes away.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "os/http/http.h"

namespace muster::server {

// The client's side. Outlives the exchange.
struct HttpTalk {
    int answers = 0;
    int status = 0;
    std::vector<os::HttpHeader> headers{};
    std::string body{};  // of an answer, or all chunks of a stream
    std::vector<os::SharedBytes> chunks{};
    bool dropped = false;                 // the exchange ended without an answer
    os::HttpExchange::OnReceived send{};  // to the server, once it has gone over to another protocol
    std::size_t took = 0;                 // of what was sent so
    bool finished = false;                // the stream ended in order
    bool cut = false;                     // the stream ended otherwise
    bool breaks = false;                  // writing to the stream throws
    bool reads = true;                    // else what is written stays unsent
    std::size_t unsent = 0;
    bool encodes = true;                         // else a body that is still to be made stays so
    std::function<std::string()> not_encoded{};  // that body
    bool sends_body = true;                      // else it is sent by `send_body`
    bool body_asked = false;
    os::Work on_body{};
    os::Work on_gone{};

    bool answered() const { return answers != 0; }
    // The first of that name, empty when absent.
    std::string_view header(std::string_view name) const {
        for (const os::HttpHeader& header : headers)
            if (header.name == name) return header.value;
        return {};
    }
    std::vector<std::string> all(std::string_view name) const {
        std::vector<std::string> values;
        for (const os::HttpHeader& header : headers)
            if (header.name == name) values.push_back(header.value);
        return values;
    }
    // Takes what was received since the last call.
    std::string take() { return std::exchange(body, {}); }
    void send_body() {
        if (os::Work arrived = std::move(on_body)) arrived();
    }
    // The peer closes the connection.
    void leave() {
        on_body = os::Work();
        if (os::Work gone = std::move(on_gone)) gone();
    }
};

class TalkStream final : public os::HttpTunnel {
public:
    explicit TalkStream(std::shared_ptr<HttpTalk> talk) : talk_(std::move(talk)) {}
    ~TalkStream() override {
        if (!talk_->finished) talk_->cut = true;
    }
    void write(os::SharedBytes chunk) override {
        if (talk_->finished) return;
        if (talk_->breaks) throw std::bad_alloc();
        talk_->body += *chunk;
        if (!talk_->reads) talk_->unsent += chunk->size();
        talk_->chunks.push_back(std::move(chunk));
    }
    void finish() override { talk_->finished = true; }
    void took(std::size_t bytes) override { talk_->took += bytes; }
    std::size_t unsent() const override { return talk_->unsent; }

private:
    std::shared_ptr<HttpTalk> talk_;
};

class TalkExchange final : public os::HttpExchange {
public:
    TalkExchange(os::HttpRequest sent, std::shared_ptr<HttpTalk> talk) : talk_(std::move(talk)) {
        request = std::move(sent);
    }
    ~TalkExchange() override {
        if (!talk_->answered()) talk_->dropped = true;
    }
    void read_body(os::Work arrived) override {
        const std::shared_ptr<HttpTalk> talk = talk_;  // what is called may destroy this
        talk->body_asked = true;
        talk->on_body = std::move(arrived);
        if (talk->sends_body) talk->send_body();
    }
    std::string take_body() override { return std::move(request.body); }
    void respond(os::HttpResponse response) override {
        take_head(response);
        if (const auto* text = std::get_if<std::string>(&response.body)) talk_->body = *text;
        if (const auto* shared = std::get_if<os::SharedBytes>(&response.body)) talk_->body = **shared;
        if (auto* make = std::get_if<std::function<std::string()>>(&response.body)) {
            if (talk_->encodes)
                talk_->body = (*make)();
            else
                talk_->not_encoded = std::move(*make);
        }
    }
    std::unique_ptr<os::HttpStream> stream(os::HttpResponse head) override {
        take_head(head);
        return std::make_unique<TalkStream>(talk_);
    }
    void belongs_to(std::uint64_t, std::uint64_t) override {}
    std::unique_ptr<os::HttpTunnel> upgrade(os::HttpResponse head, OnReceived received) override {
        take_head(head);
        talk_->send = std::move(received);
        return std::make_unique<TalkStream>(talk_);
    }
    void when_gone(os::Work work) override { talk_->on_gone = std::move(work); }

private:
    void take_head(os::HttpResponse& response) {
        ++talk_->answers;
        talk_->status = response.status;
        talk_->headers = std::move(response.headers);
    }

    std::shared_ptr<HttpTalk> talk_;
};

}  // namespace muster::server
