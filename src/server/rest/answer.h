// What a handler gives back: the answer, and the revision that must be on disk before anybody outside may see it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "os/http/http.h"
#include "server/rest/encode_answer.h"
#include "store/object.h"

namespace muster::server {

struct Answer {
    int code = 200;
    std::string content_type = "application/json";
    decltype(os::HttpResponse::body) body{};
    store::Revision durable = 0;
    std::vector<os::HttpHeader> headers{};
    std::size_t items = 0;  // that its body is made of or chosen from, one after the other
};

// The object in the form asked for; encoding happens on the thread that carries the answer.
Answer answer_object(KindObjectPtr object, const Presentation& as, int code, store::Revision durable);
Answer answer_status(const api::meta::Status& status, const AnswerForm& form, store::Revision durable = 0);
Answer answer_error(const Error& error, const AnswerForm& form = {});
Answer answer_text(int code, std::string text);

// With the headers that every answer has.
os::HttpResponse http_response(Answer answer, const std::vector<std::string>& warnings = {});

// "299 - \"…\"", as Kubernetes sends what the caller should know but need not act on.
os::HttpHeader warning_header(std::string_view text);
// One header for each, shortened when all together are so long that a client would choke on them.
void append_warnings(const std::vector<std::string>& warnings, std::vector<os::HttpHeader>& headers);

}  // namespace muster::server
