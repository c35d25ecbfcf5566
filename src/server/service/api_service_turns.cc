// Whose turn it is: to be run, to have a long body decoded, to have a long answer encoded; and what becomes of requests
// that wait too long, or whose clients have disconnected.
#include "server/rest/deadline.h"
#include "server/service/api_request.h"

namespace muster::server {

void ApiService::take_decoding_turn(RequestPtr request) {
    const FlowDecision decision = long_flow_.arrive(request->flow, FlowKind::kWrite, loop_.uptime());
    switch (decision.answer) {
        case FlowAnswer::kStart: decode(std::move(request), decision.ticket); break;
        case FlowAnswer::kWait: wait_long(decision.ticket, {std::move(request)}); break;
        case FlowAnswer::kRefuse: refuse_too_many(*request, decision.retry_after_seconds); break;
    }
}

void ApiService::decode(RequestPtr request, FlowTicket decoding) {
    options_.decoder->run([&loop = loop_, self = self_, request = std::move(request), decoding]() mutable {
        read_resource_body(request->incoming, std::exchange(request->body, {}));
        loop.post_asked([self, request = std::move(request), decoding]() mutable {
            if (!*self) return;
            (*self)->end_long(decoding);
            (*self)->begin(std::move(request));
        });
    });
}

void ApiService::refuse_too_many(Request& request, int retry_after_seconds) {
    Error error{Code::kTooManyRequests, "too many requests, please try again later"};
    error.retry_after_seconds = retry_after_seconds;
    respond(request, answer_error(error));
}

void ApiService::take_turn(RequestPtr request) {
    const FlowKind kind = is_write(request->call().route) ? FlowKind::kWrite : FlowKind::kRead;
    const FlowDecision decision = flow_.arrive(request->flow, kind, loop_.uptime());
    request->ticket = decision.ticket;
    switch (decision.answer) {
        case FlowAnswer::kStart: run(std::move(request)); break;
        case FlowAnswer::kWait: {
            Request& waits = *request;
            waiting_.emplace(decision.ticket, std::move(request));
            await(waits, [ticket = decision.ticket](ApiService& self) {
                self.waiting_.erase(ticket);
                self.start_waiting(self.flow_.cancel(ticket));
            });
            waits.exchange->when_gone(
                on_loop([ticket = decision.ticket](ApiService& self) { self.leave_turn(ticket); }));
            break;
        }
        case FlowAnswer::kRefuse: refuse_too_many(*request, decision.retry_after_seconds); break;
    }
}

void ApiService::end_turn(FlowTicket ticket) { start_waiting(flow_.finish(ticket)); }

// Each keeps its place in `waiting_` until it runs, so that its client can still leave.
void ApiService::start_waiting(const std::vector<FlowTicket>& tickets) {
    for (const FlowTicket ticket : tickets) {
        // Not from here: one that ends at once would end the next's turn, and so on.
        loop_.post_asked([self = self_, ticket] {
            if (!*self) return;
            if (auto found = (*self)->waiting_.extract(ticket)) (*self)->run(std::move(found.mapped()));
        });
    }
}

// The client of a request that waits has disconnected: the request is not run.
void ApiService::leave_turn(FlowTicket ticket) {
    const auto found = waiting_.extract(ticket);
    if (!found) return;
    stop_awaiting(*found.mapped());
    record(*found.mapped(), kClientClosedRequest);
    start_waiting(flow_.cancel(ticket));
}

// The same for one whose long answer or body waits.
void ApiService::leave_long(FlowTicket ticket) {
    const auto found = long_work_.find(ticket);
    if (found == long_work_.end()) return;
    stop_awaiting(*found->second.request);
    record(*found->second.request, kClientClosedRequest);
    drop_long(ticket);
}

void ApiService::drop_long(FlowTicket ticket) {
    const auto found = long_work_.extract(ticket);
    if (found.mapped().answer) end_turn(found.mapped().request->ticket);
    start_all_long(long_flow_.cancel(ticket));
}

// Work for another thread to call that does something on the loop, if the service is still there then.
os::Work ApiService::on_loop(std::function<void(ApiService&)> what) {
    return [&loop = loop_, self = self_, what = std::move(what)]() mutable {
        loop.post([self, what = std::move(what)] {
            if (*self) what(**self);
        });
    };
}

void ApiService::expire_turns() {
    for (const FlowTicket ticket : flow_.expire(loop_.uptime())) {
        auto found = waiting_.find(ticket);
        if (found == waiting_.end()) continue;
        stop_awaiting(*found->second);
        Error error{Code::kTooManyRequests, "this request has waited too long for its turn, please try again later"};
        error.retry_after_seconds = 1;
        respond(*found->second, answer_error(error));
        waiting_.erase(found);
    }
    expire_long();
    rights_.forget();
    options_.budget->report_history(services_.objects.store().stats().history_bytes);
    expire_timer_ = loop_.after(1s, [this] { expire_turns(); });
}

void ApiService::expire_long() {
    for (const FlowTicket ticket : long_flow_.expire(loop_.uptime())) {
        const auto found = long_work_.extract(ticket);
        if (!found) continue;
        const LongWork& work = found.mapped();
        stop_awaiting(*work.request);
        Error error{Code::kTooManyRequests, "this request has waited too long for its turn, please try again later"};
        error.retry_after_seconds = 1;
        respond(*work.request, answer_error(error));
        if (work.answer) end_turn(work.request->ticket);
    }
}

// Calls `run` later when so much waits for the disk that no more should be written now.
bool ApiService::waits_for_room(RequestPtr& request) {
    store::Store& store = services_.objects.store();
    if (store.has_room() || !is_write(request->call().route)) return false;
    await(*request, [](ApiService&) {});  // not written: it is dropped when there is room
    auto held = std::make_shared<RequestPtr>(std::move(request));
    store.when_room([self = self_, held] {
        if (*self) (*self)->run(std::move(*held));
    });
    return true;
}

void ApiService::wait_long(FlowTicket ticket, LongWork work) {
    Request& waits = *work.request;
    long_work_.emplace(ticket, std::move(work));
    await(waits, [ticket](ApiService& self) { self.drop_long(ticket); });
    waits.exchange->when_gone(on_loop([ticket](ApiService& self) { self.leave_long(ticket); }));
}

void ApiService::start_long(LongWork work, FlowTicket ticket) {
    stop_awaiting(*work.request);
    if (work.answer)
        encode_long(std::move(work.request), *std::move(work.answer), ticket);
    else
        decode(std::move(work.request), ticket);
}

void ApiService::encode_long(RequestPtr request, Answer answer, FlowTicket encoding) {
    // Lives until the answer is made, or until its client has disconnected.
    std::shared_ptr<void> turn(nullptr, [&loop = loop_, self = self_, encoding](void*) {
        loop.post([self, encoding] {
            if (*self) (*self)->end_long(encoding);
        });
    });
    answer.body = [make = std::get<std::function<std::string()>>(std::move(answer.body)), turn = std::move(turn)] {
        return make();
    };
    respond(*request, std::move(answer), true);
    end_turn(request->ticket);
}

void ApiService::end_long(FlowTicket ticket) { start_all_long(long_flow_.finish(ticket)); }

void ApiService::start_all_long(const std::vector<FlowTicket>& tickets) {
    for (const FlowTicket ticket : tickets)
        if (auto found = long_work_.extract(ticket)) start_long(std::move(found.mapped()), ticket);
}

// The request waits from now on. When its deadline passes before `stop_awaiting`, it is answered, and then `dropped`
// may forget it; one that is not forgotten comes on with `answered`, and nothing more is to be done for it.
void ApiService::await(Request& request, std::function<void(ApiService&)> dropped) {
    if (!request.deadline) return;
    request.late_timer =
        loop_.after(*request.deadline - loop_.uptime(), [self = self_, &request, dropped = std::move(dropped)] {
            if (!*self) return;
            request.late_timer = 0;
            request.answered = true;
            (*self)->respond(request, answer_error(timed_out()));
            dropped(**self);
        });
}

void ApiService::stop_awaiting(Request& request) {
    if (request.late_timer != 0) loop_.cancel(std::exchange(request.late_timer, 0));
}

}  // namespace muster::server
