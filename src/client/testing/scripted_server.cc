#include "client/testing/scripted_server.h"

namespace muster::client {

ScriptedServer::ScriptedServer() {
    fixture_.answer = [this](std::unique_ptr<os::HttpExchange> exchange) { serve(std::move(exchange)); };
    fixture_.start();
}

ScriptedServer::~ScriptedServer() {
    {
        const std::lock_guard lock(mutex_);
        streams_.clear();
    }
    fixture_.server.reset();
}

void ScriptedServer::then(Answer answer) {
    const std::lock_guard lock(mutex_);
    script_.push_back(std::move(answer));
}

ServerAccess ScriptedServer::access() const {
    ServerAccess access;
    access.server = "https://127.0.0.1:" + std::to_string(fixture_.server->address().port);
    access.ca_certificates = fixture_.authority.certificate();
    return access;
}

std::vector<std::string> ScriptedServer::asked() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& request : requests_) out.push_back(request->method + " " + request->target);
    return out;
}

void ScriptedServer::serve(std::unique_ptr<os::HttpExchange> exchange) {
    Answer answer{500, "the script has ended"};
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::make_unique<os::HttpRequest>(exchange->request));
        if (!answer_all && !script_.empty()) {
            answer = std::move(script_.front());
            script_.pop_front();
        }
    }
    if (answer_all) answer = answer_all(exchange->request);
    if (answer.cut) return;
    os::HttpResponse response;
    response.status = answer.status;
    response.headers.push_back({"Content-Type", "application/json"});
    for (const auto& [name, value] : answer.headers) response.headers.push_back({name, value});
    response.body = answer.body;
    if (!answer.stays_open) return exchange->respond(std::move(response));
    auto stream = exchange->stream(std::move(response));
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(stream));
}

}  // namespace muster::client
