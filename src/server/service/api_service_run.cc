// What is done for a request whose turn has come.
#include <algorithm>

#include "os/loop/guard.h"
#include "server/discovery/answer.h"
#include "server/health.h"
#include "server/openid.h"
#include "server/rest/list.h"
#include "server/rest/verbs.h"
#include "server/service/api_request.h"

namespace muster::server {

void ApiService::run(RequestPtr request) {
    stop_awaiting(*request);
    if (request->answered) return end_turn(request->ticket);
    if (waits_for_room(request)) return;
    Call& call = request->call();
    if (!call.route.is_resource) {
        run_other(std::move(request));
    } else if (request->incoming.problem) {
        Answer answer = answer_error(*request->incoming.problem, {call.as.form.encoding});
        finish(std::move(request), std::move(answer));
    } else if (call.verb == Verb::kWatch) {
        run_watch(std::move(request));
    } else if (call.route.part && call.route.part->stream) {
        run_stream(std::move(request));
    } else if (call.verb == Verb::kDeleteCollection) {
        tasks_.spawn(run_delete_collection(std::move(request)));
    } else {
        Result<Answer> answer = reading(*request, [&]() -> Result<Answer> {
            TRY(check_unread_delete(*request));
            return dispatch(services_, call);
        });
        if (!answer.ok() && answer.error().code == Code::kTimeout && waits_on(*request)) {
            auto held = std::make_shared<RequestPtr>(std::move(request));
            loop_.after(kVersionPoll, [self = self_, held] {
                if (*self) (*self)->run(std::move(*held));
            });
            return;
        }
        finish(std::move(request), std::move(answer));
    }
}

os::Task<void> ApiService::run_delete_collection(RequestPtr request) {
    const Duration until = request->deadline.value_or(Duration::max());
    Result<Answer> answer = co_await os::guarded(delete_collection(services_.objects, request->call(), until));
    finish(std::move(request), std::move(answer));
}

// Whether the version that a request wants may still come in its time.
bool ApiService::waits_on(Request& request) const {
    if (!request.waits_until) request.waits_until = loop_.uptime() + kVersionWait;
    if (request.deadline) request.waits_until = std::min(*request.waits_until, *request.deadline);
    return loop_.uptime() < *request.waits_until;
}

// To delete an object without its finalizers takes a right of its own.
Result<> ApiService::check_unread_delete(const Request& request) const {
    const Call& call = request.call();
    if (call.verb != Verb::kDelete) return {};
    if (!call.delete_options->ignore_store_read_error_with_cluster_breaking_potential.value_or(false)) return {};
    Attributes deleting = attributes_of_route(call.route);
    deleting.verb = "unsafe-delete-ignore-read-errors";
    return check_access(services_.roles, request.user(), deleting);
}

void ApiService::run_other(RequestPtr request) {
    const Target& target = request->incoming.target;
    if (is_discovery(target)) {
        Result<os::HttpResponse> found = answer_discovery(
            request->exchange->request, target, address_of(request->exchange->request), *request->call().route.kinds);
        if (found.ok()) {
            record(*request, found->status);
            end_turn(request->ticket);
            request->exchange->respond(std::move(*found));
            return;
        }
        // Groups that are not there have no page, as upstream.
        const bool absent = found.error().code == Code::kNotFound;
        finish(std::move(request), absent ? answer_text(404, "404 page not found\n") : answer_error(found.error()));
        return;
    }
    if (target.path() == "/") {
        finish(std::move(request), answer_paths(*request->call().route.kinds));
    } else if (target.path() == "/metrics") {
        Result<Answer> answer = reading(*request, [&]() -> Result<Answer> { return answer_metrics(); });
        finish(std::move(request), std::move(answer));
    } else if (target.path() == kBackupPath && request->exchange->request.method == "POST" && options_.backup) {
        run_backup(std::move(request));
    } else if (auto openid =
                   answer_openid(services_.authenticator->verifier(), target, address_of(request->exchange->request))) {
        finish(std::move(request), std::move(*openid));
    } else {
        finish(std::move(request), answer_text(404, "404 page not found\n"));
    }
}

// The directory is the server's to write, so only who may do everything may ask, unless a role says otherwise.
void ApiService::run_backup(RequestPtr request) {
    std::string directory(request->incoming.target.query.get("directory"));
    if (!directory.starts_with('/') || directory.find('\0') != std::string::npos)
        return finish(std::move(request),
                      answer_error({Code::kBadRequest, "directory must be a path from the root of the file system"}));
    auto held = std::make_shared<RequestPtr>(std::move(request));
    options_.backup(std::move(directory), [self = self_, held](const Result<>& made) {
        if (!*self) return;
        api::meta::Status done;
        done.status = "Success";
        done.code = 200;
        (*self)->finish(std::move(*held), made.ok() ? answer_status(done, {}) : answer_error(made.error()));
    });
}

}  // namespace muster::server
