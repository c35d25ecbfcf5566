#include "os/http/server/http_outbox.h"

namespace muster::os {

bool Inbox::push(std::shared_ptr<Outbox> outbox) {
    std::lock_guard lock(mutex_);
    if (!loop_) return false;
    waiting_.push_back(std::move(outbox));
    if (!std::exchange(posted_, true)) loop_->post([this] { drain_(); });
    return true;
}

void Inbox::take(std::vector<std::shared_ptr<Outbox>>& taken) {
    taken.clear();
    std::lock_guard lock(mutex_);
    posted_ = false;
    taken.swap(waiting_);
}

void Inbox::close() {
    std::vector<std::shared_ptr<Outbox>> dropped;  // destroyed after the lock
    std::lock_guard lock(mutex_);
    loop_ = nullptr;
    dropped.swap(waiting_);
}

void Outbox::announce(std::unique_lock<std::mutex> lock) {
    const bool push = !std::exchange(queued_, true);
    lock.unlock();
    if (push) inbox_->push(shared_from_this());
}

void Outbox::respond(HttpResponse response) {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kClosed) return;
    CHECK(phase_ == Phase::kOpen, "an exchange is answered once");
    phase_ = Phase::kAnswered;
    response_ = std::move(response);
    announce(std::move(lock));
}

void Outbox::give(HttpAnswer answer) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kAnswered) return;
    made_ = std::move(answer);
    announce(std::move(lock));
}

void Outbox::begin_stream(HttpResponse head) {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kClosed) return;
    CHECK(phase_ == Phase::kOpen, "an exchange is answered once");
    phase_ = Phase::kStreaming;
    response_ = std::move(head);
    announce(std::move(lock));
}

void Outbox::begin_tunnel(HttpResponse head, HttpExchange::OnReceived received) {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kClosed) return;
    CHECK(phase_ == Phase::kOpen, "an exchange is answered once");
    phase_ = Phase::kStreaming;
    response_ = std::move(head);
    received_ = std::move(received);
    announce(std::move(lock));
}

void Outbox::took(std::size_t bytes) {
    untaken_.fetch_sub(bytes, std::memory_order_relaxed);
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kStreaming) announce(std::move(lock));
}

void Outbox::write(SharedBytes chunk) {
    if (chunk->empty()) return;  // in chunked coding an empty chunk is the end
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kStreaming) return;
    count_unsent(chunk->size());
    chunks_.push_back(std::move(chunk));
    announce(std::move(lock));
}

void Outbox::finish() {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kStreaming) return;
    phase_ = Phase::kFinished;
    announce(std::move(lock));
}

void Outbox::cut() {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kOpen && phase_ != Phase::kStreaming) return;
    phase_ = Phase::kClosed;
    cut_ = true;
    announce(std::move(lock));
}

void Outbox::when_gone(Work work) {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kClosed && !gone_) return;
    when_gone_ = std::move(work);
    if (!gone_) return;
    const bool push = !std::exchange(queued_, true);
    lock.unlock();
    if (!push || inbox_->push(shared_from_this())) return;
    // No carrying thread is left to call it on.
    if (Work now = take().gone) now();
}

void Outbox::read_body(Work arrived) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kOpen) {
        lock.unlock();  // `arrived` holds the exchange, which is destroyed with it
        return;
    }
    wants_body_ = std::move(arrived);
    announce(std::move(lock));
}

void Outbox::put_body(std::string body) {
    std::lock_guard lock(mutex_);
    body_ = std::move(body);
}

std::string Outbox::take_body() {
    std::lock_guard lock(mutex_);
    return std::move(body_);
}

Outbox::Taken Outbox::take(std::vector<SharedBytes> room) {
    Taken taken;
    taken.chunks = std::move(room);
    std::lock_guard lock(mutex_);
    queued_ = false;
    if (response_) {
        taken.response = std::move(response_);
        response_.reset();
    }
    if (made_) {
        taken.made = std::move(made_);
        made_.reset();
    }
    taken.is_stream = phase_ == Phase::kStreaming || phase_ == Phase::kFinished;
    taken.finished = phase_ == Phase::kFinished;
    taken.cut = std::exchange(cut_, false);
    taken.chunks.swap(chunks_);
    taken.received = std::exchange(received_, nullptr);
    taken.wants_body = std::move(wants_body_);
    if (gone_) taken.gone = std::move(when_gone_);
    return taken;
}

void Outbox::complete() {
    Work dropped;  // destroyed after the lock
    std::lock_guard lock(mutex_);
    phase_ = Phase::kClosed;
    dropped = std::move(when_gone_);
}

void Outbox::lose() {
    Work call;
    Work dropped;  // destroyed after the lock
    {
        std::lock_guard lock(mutex_);
        if (phase_ == Phase::kClosed) return;
        phase_ = Phase::kClosed;
        gone_ = true;
        dropped = std::move(wants_body_);
        response_.reset();
        made_.reset();
        chunks_.clear();
        call = std::move(when_gone_);
    }
    if (call) call();
}

namespace {

class OutboxStream final : public HttpTunnel {
public:
    explicit OutboxStream(std::shared_ptr<Outbox> outbox) : outbox_(std::move(outbox)) {}
    ~OutboxStream() override { outbox_->cut(); }

    void write(SharedBytes chunk) override { outbox_->write(std::move(chunk)); }
    void finish() override { outbox_->finish(); }
    void took(std::size_t bytes) override { outbox_->took(bytes); }
    std::size_t unsent() const override { return outbox_->unsent(); }

private:
    std::shared_ptr<Outbox> outbox_;
};

class OutboxExchange final : public HttpExchange {
public:
    explicit OutboxExchange(std::shared_ptr<Outbox> outbox) : outbox_(std::move(outbox)) {}
    ~OutboxExchange() override {
        if (outbox_) outbox_->cut();
    }

    void respond(HttpResponse response) override { give()->respond(std::move(response)); }
    std::unique_ptr<HttpStream> stream(HttpResponse head) override {
        std::shared_ptr<Outbox> outbox = give();
        outbox->begin_stream(std::move(head));
        return std::make_unique<OutboxStream>(std::move(outbox));
    }
    void read_body(Work arrived) override {
        // What is to be called mostly owns this exchange, and may be destroyed before this returns.
        const std::shared_ptr<Outbox> outbox = outbox_;
        outbox->read_body(std::move(arrived));
    }
    std::string take_body() override { return outbox_->take_body(); }
    void belongs_to(std::uint64_t flow, std::uint64_t user) override {
        outbox_->flow = flow;
        outbox_->user = user;
    }
    std::unique_ptr<HttpTunnel> upgrade(HttpResponse head, OnReceived received) override {
        std::shared_ptr<Outbox> outbox = give();
        outbox->begin_tunnel(std::move(head), std::move(received));
        return std::make_unique<OutboxStream>(std::move(outbox));
    }
    void when_gone(Work work) override {
        CHECK(outbox_, "when_gone is set before the answer is given");
        outbox_->when_gone(std::move(work));
    }

private:
    std::shared_ptr<Outbox> give() {
        CHECK(outbox_, "an exchange is answered once");
        return std::move(outbox_);
    }

    std::shared_ptr<Outbox> outbox_;
};

}  // namespace

std::unique_ptr<HttpExchange> make_exchange(std::shared_ptr<Outbox> outbox, HttpRequest request) {
    auto exchange = std::make_unique<OutboxExchange>(std::move(outbox));
    exchange->request = std::move(request);
    return exchange;
}

}  // namespace muster::os
