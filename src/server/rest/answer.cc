#include "server/rest/answer.h"

#include <algorithm>

#include "server/rest/failure.h"

namespace muster::server {

namespace {

bool has_header(const std::vector<os::HttpHeader>& headers, std::string_view name) {
    return std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.name == name; });
}

}  // namespace

os::HttpResponse http_response(Answer answer, const std::vector<std::string>& warnings) {
    os::HttpResponse response;
    response.status = answer.code;
    response.headers = std::move(answer.headers);
    response.headers.push_back({"Content-Type", std::move(answer.content_type)});
    if (!has_header(response.headers, "Cache-Control"))
        response.headers.push_back({"Cache-Control", "no-cache, private"});
    append_warnings(warnings, response.headers);
    response.body = std::move(answer.body);
    return response;
}

Answer answer_object(KindObjectPtr object, const Presentation& as, int code, store::Revision durable) {
    return {code, as.form.content_type(), [object = std::move(object), as] { return encode_object(*object, as); },
            durable};
}

Answer answer_status(const api::meta::Status& status, const AnswerForm& form, store::Revision durable) {
    const int code = status.code != 0 ? status.code : 200;
    return {code, form.content_type(), encode_status(status, form), durable};
}

Answer answer_error(const Error& error, const AnswerForm& form) {
    Answer answer = answer_status(status_of(error), form);
    if (error.retry_after_seconds > 0)
        answer.headers.push_back({"Retry-After", std::to_string(error.retry_after_seconds)});
    return answer;
}

Answer answer_text(int code, std::string text) { return {code, "text/plain; charset=utf-8", std::move(text)}; }

os::HttpHeader warning_header(std::string_view text) {
    std::string value = "299 - \"";
    for (const char c : text) {
        if (c == '"' || c == '\\') value += '\\';
        // What would end the header is not let through.
        value += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    value += '"';
    return {"Warning", std::move(value)};
}

void append_warnings(const std::vector<std::string>& warnings, std::vector<os::HttpHeader>& headers) {
    constexpr std::size_t kTogetherMax = 4096;
    constexpr std::size_t kShortened = 256;
    std::size_t together = 0;
    for (const std::string& warning : warnings) together += warning.size();
    const bool too_long = together > kTogetherMax;
    together = 0;
    for (const std::string& warning : warnings) {
        std::string_view text = warning;
        if (too_long) text = text.substr(0, kShortened);
        // Not in the middle of a character.
        while (text.size() < warning.size() && (static_cast<unsigned char>(warning[text.size()]) & 0xc0) == 0x80)
            text.remove_suffix(1);
        together += text.size();
        if (together > kTogetherMax) return;
        headers.push_back(warning_header(text));
    }
}

}  // namespace muster::server
