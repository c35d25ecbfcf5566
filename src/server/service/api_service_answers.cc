// How a request is answered, and what is noted of it: the audit log and the metrics.
#include <algorithm>

#include "server/access/audit.h"
#include "server/kind_object/views.h"
#include "server/registry/kind_registry.h"
#include "server/service/api_request.h"

namespace muster::server {
namespace {

// How many objects there are of each resource that is stored.
std::vector<std::pair<std::string, std::size_t>> count_stored(const store::Store& store, const KindRegistry& kinds) {
    std::vector<std::pair<std::string, std::size_t>> counts;
    for (const ServedVersion& version : kinds.versions()) {
        for (const ServedResource& resource : version.resources) {
            if (resource.empty || resource.virtual_only || &stored_kind(*resource.kind) != resource.kind) continue;
            const auto listing = store.list(list_prefix(*resource.kind, ""), {.limit = 1});
            std::string name = resource.kind->options.plural;
            if (!version.group.empty()) name.append(1, '.').append(version.group);
            if (listing.ok()) counts.emplace_back(std::move(name), listing->items.size() + listing->remaining);
        }
    }
    return counts;
}

}  // namespace

// The answer leaves when what it tells is on disk: what was written, and what was read for it. That something is not
// there is told as well.
void ApiService::finish(RequestPtr request, Result<Answer> result) {
    AnswerForm error_form{request->call().as.form.encoding};
    error_form.pretty = request->call().as.form.pretty;
    Answer answer = result.ok() ? std::move(*result) : answer_error(result.error(), error_form);
    store::Store& store = services_.objects.store();
    const store::Revision durable = std::max(answer.durable, request->seen);
    if (durable <= store.durable_revision()) return tell(std::move(request), std::move(answer));
    await(*request, [](ApiService&) {});  // 504 at the deadline: the write is made and may last
    store.when_durable(durable, [self = self_, request = std::move(request), answer = std::move(answer)]() mutable {
        if (*self) (*self)->tell(std::move(request), std::move(answer));
    });
}

// A long list is encoded when its flow's turn has come; it keeps its seat until then.
void ApiService::tell(RequestPtr request, Answer answer) {
    constexpr std::size_t kLongItems = 50;
    stop_awaiting(*request);
    if (request->answered) return end_turn(request->ticket);
    if (answer.items > kLongItems && std::holds_alternative<std::function<std::string()>>(answer.body)) {
        const FlowDecision decision = long_flow_.arrive(request->flow, FlowKind::kRead, loop_.uptime());
        switch (decision.answer) {
            case FlowAnswer::kStart: return encode_long(std::move(request), std::move(answer), decision.ticket);
            case FlowAnswer::kWait: return wait_long(decision.ticket, {std::move(request), std::move(answer)});
            case FlowAnswer::kRefuse: refuse_too_many(*request, decision.retry_after_seconds); break;
        }
    } else {
        respond(*request, std::move(answer));
    }
    end_turn(request->ticket);
}

void ApiService::respond(Request& request, Answer answer, bool is_long) {
    record(request, answer.code);
    os::HttpResponse response = http_response(std::move(answer), request.call().warnings);
    response.is_long = is_long;
    request.exchange->respond(std::move(response));
}

void ApiService::record(const Request& request, int code) {
    const Route& route = request.call().route;
    const bool is_watch = route.verb == "watch" && (code == 200 || code == 101);
    const Duration took = loop_.uptime() - request.began.value_or(loop_.uptime());
    metrics_.observe_request(route, code, took, is_watch);
    if (!options_.audit) return;
    const os::HttpRequest& http = request.exchange->request;
    const std::string id =
        std::to_string(request.received.since_epoch().count()) + "-" + std::to_string(request.number);
    const std::string source = http.peer.host;
    AuditRecord audited;
    audited.id = id;
    audited.received = request.received;
    audited.latency = took;
    audited.user = request.authenticated ? &request.authentication.user : nullptr;
    audited.impersonated = request.impersonation ? &request.impersonation->user : nullptr;
    audited.attributes = attributes_of_route(route);
    audited.request_uri = http.target;
    audited.source_ip = source;
    audited.user_agent = http.header("user-agent");
    audited.code = code;
    audited.allowed = request.allowed;
    audited.reason = request.reason;
    audited.annotations = request.call().audit;
    options_.audit(format_audit_line(audited));
}

Answer ApiService::answer_metrics() {
    ServerMetrics::Now now;
    now.store = services_.objects.store().stats();
    now.revision = services_.objects.store().revision();
    now.stored = count_stored(services_.objects.store(), *options_.kinds->now());
    now.buffered = options_.budget->used();
    now.watches = watches_.count();
    now.reads = flow_.under_way(FlowKind::kRead);
    now.writes = flow_.under_way(FlowKind::kWrite);
    now.waiting = flow_.waiting(FlowKind::kRead) + flow_.waiting(FlowKind::kWrite);
    std::string text = metrics_.format(now);
    if (options_.more_metrics) text += options_.more_metrics();
    return {200, "text/plain; version=0.0.4; charset=utf-8", std::move(text)};
}

}  // namespace muster::server
