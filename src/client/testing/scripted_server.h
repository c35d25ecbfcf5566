// An HTTP server for tests of clients: it gives the answers of a script, one by one, and keeps what it was asked.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "client/remote/access.h"
#include "os/testing/http_fixture.h"

namespace muster::client {

class ScriptedServer {
public:
    struct Answer {
        int status = 200;
        std::string body = "{}";
        std::vector<std::pair<std::string, std::string>> headers{};
        bool stays_open = false;  // the body is the beginning of a stream that goes on in silence
        bool cut = false;         // the connection ends without an answer
    };

    ScriptedServer();
    ~ScriptedServer();

    // What is answered next; when nothing is left, 500.
    void then(Answer answer);
    // Instead of the script.
    std::function<Answer(const os::HttpRequest& request)> answer_all{};

    ServerAccess access() const;

    // "GET /api/v1/pods", with the query.
    std::vector<std::string> asked() const;
    const os::HttpRequest& request(std::size_t index) const { return *requests_.at(index); }
    os::HttpFixture& fixture() { return fixture_; }

private:
    void serve(std::unique_ptr<os::HttpExchange> exchange);

    mutable std::mutex mutex_;  // guards the next three: requests come on other threads
    std::deque<Answer> script_;
    std::vector<std::unique_ptr<os::HttpRequest>> requests_;
    std::vector<std::unique_ptr<os::HttpStream>> streams_;
    os::HttpFixture fixture_;
};

}  // namespace muster::client
