#include "os/http/server/http_answer.h"

#include <algorithm>
#include <charconv>

#include "os/http/http_gzip.h"
#include "os/loop/guard.h"

namespace muster::os {
namespace {

bool same_name(std::string_view a, std::string_view lower) {
    return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
               return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
           });
}

std::string_view header_of(const HttpResponse& response, std::string_view lower_name) {
    for (const HttpHeader& header : response.headers)
        if (same_name(header.name, lower_name)) return header.value;
    return {};
}

// The carrier's own to set: twice is worse than once.
bool is_carriers(std::string_view name) {
    return same_name(name, "content-length") || same_name(name, "transfer-encoding") || same_name(name, "date") ||
           same_name(name, "connection");
}

// A line end inside a value would let the author of the value add headers.
void append_value(std::string& out, std::string_view value) {
    const std::size_t start = out.size();
    out += value;
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
        [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

void append_number(std::string& out, std::size_t number, int base = 10) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), number, base);
    out.append(digits, end.ptr);
}

void append_head(std::string& out, const HttpResponse& response, std::string_view date) {
    out += "HTTP/1.1 ";
    append_number(out, static_cast<std::size_t>(response.status));
    out += ' ';
    out += reason_phrase(response.status);
    out += "\r\n";
    for (const HttpHeader& header : response.headers) {
        if (is_carriers(header.name)) continue;
        append_value(out, header.name);
        out += ": ";
        append_value(out, header.value);
        out += "\r\n";
    }
    out += "Date: ";
    out += date;
    out += "\r\n";
}

bool has_no_body(int status) { return status / 100 == 1 || status == 204 || status == 304; }

bool wants_close(const AnswerTerms& terms, const HttpResponse& response) {
    return !terms.keeps_alive || same_name(header_of(response, "connection"), "close");
}

}  // namespace

std::string_view reason_phrase(int status) {
    switch (status) {
        case 100: return "Continue";
        case 101: return "Switching Protocols";
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 301: return "Moved Permanently";
        case 302: return "Found";
        case 304: return "Not Modified";
        case 307: return "Temporary Redirect";
        case 308: return "Permanent Redirect";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 406: return "Not Acceptable";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 410: return "Gone";
        case 412: return "Precondition Failed";
        case 413: return "Request Entity Too Large";
        case 414: return "Request URI Too Long";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 422: return "Unprocessable Entity";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        case 505: return "HTTP Version Not Supported";
        default: return {};
    }
}

HttpAnswer HttpAnswer::whole(const AnswerTerms& terms, HttpResponse response, std::string_view date,
                             const HttpLimits& limits) {
    HttpAnswer answer;
    if (auto* make = std::get_if<2>(&response.body)) {
        Result<std::string> made = attempt(*make);
        if (!made.ok()) {
            report_failure("an answer", made.error().message);
            response.status = 500;
            response.headers = {{"Content-Type", "text/plain"}};
            made = std::string("the answer could not be made\n");
        }
        answer.body_ = *std::move(made);
    } else if (auto* shared = std::get_if<1>(&response.body)) {
        answer.body_ = std::move(*shared);
    } else {
        answer.body_ = std::move(std::get<0>(response.body));
    }
    const bool compresses = terms.takes_gzip && answer.rest_of_body().size() > limits.gzip_bytes_min &&
                            header_of(response, "content-encoding").empty();
    if (compresses) answer.body_ = gzip(answer.rest_of_body());

    answer.closes_ = wants_close(terms, response);
    answer.head_.reserve(256);
    append_head(answer.head_, response, date);
    if (compresses) answer.head_ += "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n";
    if (answer.closes_) answer.head_ += "Connection: close\r\n";
    if (!has_no_body(response.status)) {
        answer.head_ += "Content-Length: ";
        append_number(answer.head_, answer.rest_of_body().size());
        answer.head_ += "\r\n";
    }
    answer.head_ += "\r\n";
    answer.drops_body_ = terms.head_only || has_no_body(response.status);
    return answer;
}

HttpAnswer HttpAnswer::stream(const AnswerTerms& terms, HttpResponse head, std::string_view date) {
    HttpAnswer answer;
    answer.is_stream_ = true;
    answer.finished_ = false;
    answer.chunked_ = terms.takes_chunks;
    answer.closes_ = wants_close(terms, head) || !answer.chunked_;
    answer.drops_body_ = terms.head_only;
    append_head(answer.head_, head, date);
    if (answer.chunked_) answer.head_ += "Transfer-Encoding: chunked\r\n";
    if (answer.closes_) answer.head_ += "Connection: close\r\n";
    answer.head_ += "\r\n";
    return answer;
}

HttpAnswer HttpAnswer::upgrade(HttpResponse head, std::string_view date) {
    HttpAnswer answer;
    answer.is_stream_ = true;
    answer.finished_ = false;
    answer.closes_ = true;
    append_head(answer.head_, head, date);
    answer.head_ += "Connection: Upgrade\r\n\r\n";
    return answer;
}

std::string_view HttpAnswer::rest_of_body() const {
    std::string_view all;
    if (const auto* own = std::get_if<0>(&body_)) {
        all = *own;
    } else if (const SharedBytes& shared = std::get<1>(body_)) {
        all = *shared;
    }
    return all.substr(body_at_);
}

void HttpAnswer::add(std::vector<SharedBytes> chunks) {
    if (chunk_ == chunks_.size()) {
        chunks_ = std::move(chunks);
        chunk_ = 0;
    } else {
        chunks_.insert(chunks_.end(), std::make_move_iterator(chunks.begin()), std::make_move_iterator(chunks.end()));
    }
}

std::vector<SharedBytes> HttpAnswer::take_room() {
    if (chunk_ < chunks_.size()) return {};
    chunk_ = 0;
    chunks_.clear();
    return std::move(chunks_);
}

HttpAnswer::Slice HttpAnswer::next(std::string& scratch) {
    return is_stream_ ? next_of_stream(scratch) : next_of_body(scratch);
}

HttpAnswer::Slice HttpAnswer::next_of_body(std::string& scratch) {
    if (complete()) return {};
    end_given_ = true;
    if (drops_body_) {
        scratch.swap(head_);
        return {scratch};
    }
    std::string_view part = rest_of_body().substr(0, kSliceMax - std::min(kSliceMax, head_.size()));
    body_at_ += part.size();
    if (head_.empty()) return {part};  // from where it stands
    scratch.swap(head_);
    head_.clear();
    scratch += part;
    return {scratch};
}

HttpAnswer::Slice HttpAnswer::next_of_stream(std::string& scratch) {
    constexpr std::size_t kFramingMax = 32;
    scratch.clear();
    scratch.swap(head_);
    Slice slice;
    if (chunk_ < chunks_.size() && scratch.size() + kFramingMax < kSliceMax)
        slice.chunk_bytes = gather_chunks(scratch, kSliceMax - kFramingMax - scratch.size());
    if (finished_ && chunk_ == chunks_.size() && !end_given_) {
        end_given_ = true;
        if (chunked_ && !drops_body_) scratch += "0\r\n\r\n";
    }
    slice.bytes = scratch;
    return slice;
}

// One chunk of as many of the added ones as fit: the stream is bytes, and where one event ends another begins.
std::size_t HttpAnswer::gather_chunks(std::string& scratch, std::size_t room) {
    std::size_t total = 0;
    for (std::size_t i = chunk_; i < chunks_.size() && total < room; ++i)
        total += chunks_[i]->size() - (i == chunk_ ? chunk_at_ : 0);
    total = std::min(total, room);
    if (chunked_ && !drops_body_) {
        append_number(scratch, total, 16);
        scratch += "\r\n";
    }
    for (std::size_t left = total; left > 0;) {
        const std::string& bytes = *chunks_[chunk_];
        const std::size_t part = std::min(left, bytes.size() - chunk_at_);
        if (!drops_body_) scratch.append(bytes, chunk_at_, part);
        left -= part;
        chunk_at_ += part;
        if (chunk_at_ == bytes.size()) {
            chunks_[chunk_++].reset();
            chunk_at_ = 0;
        }
    }
    if (chunked_ && !drops_body_) scratch += "\r\n";
    if (chunk_ == chunks_.size()) {
        constexpr std::size_t kRoomMax = 64;  // an idle stream holds little
        chunks_.clear();
        if (chunks_.capacity() > kRoomMax) chunks_ = {};
        chunk_ = 0;
    }
    return total;
}

std::size_t HttpAnswer::own_bytes() const {
    const auto* own = std::get_if<0>(&body_);
    return own ? own->capacity() : 0;
}

bool HttpAnswer::complete() const {
    if (is_stream_) return end_given_;
    return end_given_ && (drops_body_ || rest_of_body().empty());
}

}  // namespace muster::os
