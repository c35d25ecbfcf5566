#include "os/http/server/http_request_reader.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <charconv>
#include <optional>

#include "base/ascii.h"

namespace muster::os {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string lower(BeastView text) { return muster::lower(std::string_view(text.data(), text.size())); }

bool has_control(BeastView text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

// A line that begins with a space: the continuation of the header before it.
bool has_fold(std::string_view head) {
    for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1))
        if (at + 1 < head.size() && (head[at + 1] == ' ' || head[at + 1] == '\t')) return true;
    return false;
}

bool has_bare_line_feed(std::string_view head) {
    for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1))
        if (at == 0 || head[at - 1] != '\r') return true;
    return false;
}

// "/path" of "http://host/path": a form that only proxies need, but which all must take.
std::string without_origin(BeastView target) {
    std::string text(target.data(), target.size());
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!text.starts_with(scheme)) continue;
        const std::size_t slash = text.find('/', scheme.size());
        return slash == std::string::npos ? "/" : text.substr(slash);
    }
    return text;
}

}  // namespace

class RequestReader::Parser final : public http::basic_parser<true> {
public:
    explicit Parser(const HttpLimits& allowed) : limits(allowed) {
        eager(false);
        header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
        body_limit(limits.body_bytes_max);
    }

    std::size_t feed(std::string_view bytes) {
        std::size_t used = 0;
        while (used < bytes.size() && (state == State::kHead || (state == State::kBody && takes_body))) {
            error_code error;
            const bool in_head = !is_header_done();
            const std::size_t count = put({bytes.data() + used, bytes.size() - used}, error);
            if (in_head) look_at_head(bytes.substr(used, count));
            used += count;
            if (error == http::error::need_more) {
                check_unread(bytes.substr(used));
                break;
            }
            if (error) refuse(error);
            if (state == State::kRefused) break;
            if (is_done()) state = State::kDone;
        }
        return used;
    }

    void refuse(int status, std::string message) {
        if (state == State::kRefused) return;  // the first reason counts
        state = State::kRefused;
        refusal = {status, std::move(message)};
    }

    const HttpLimits& limits;
    State state = State::kHead;
    HttpRequest request;
    std::string body;
    Refusal refusal;
    bool expects_continue = false;
    bool is_http11 = false;
    bool takes_body = false;
    bool keeps_body = true;
    std::optional<std::uint64_t> unread_body{};  // when its size was said

private:
    void look_at_head(std::string_view used) {
        head_bytes_ += used.size();
        if (head_bytes_ > limits.head_bytes_max) refuse(431, "request header fields too large");
        if (has_fold(used)) refuse(400, "a header is folded over several lines");
    }

    // What is neither used nor a whole line cannot grow without end.
    void check_unread(std::string_view rest) {
        const std::size_t unread = rest.size();
        if (state == State::kHead && request.method.empty() && unread > limits.target_bytes_max + 32)
            return refuse(414, "URI too long");
        if (state == State::kHead && head_bytes_ + unread > limits.head_bytes_max)
            return refuse(431, "request header fields too large");
        // Beast waits for the empty line, which who ends lines in another way may never send.
        if (state == State::kHead && has_bare_line_feed(rest))
            return refuse(400, "a line ends without a carriage return");
        if (state == State::kBody && unread > limits.head_bytes_max)
            refuse(400, "the line of a chunk's size, or the trailer, is too long");
    }

    void refuse(const error_code& error) {
        if (error == http::error::header_limit) return refuse(431, "request header fields too large");
        if (error == http::error::body_limit) return refuse(413, "limit is " + std::to_string(limits.body_bytes_max));
        refuse(400, error.message());
    }
    // What we refuse is an error to Beast too, so that it stops at once.
    void refuse(int status, std::string message, error_code& error) {
        refuse(status, std::move(message));
        error = http::error::bad_value;
    }

    void on_request_impl(http::verb, BeastView method, BeastView target, int version, error_code& error) override {
        if (target.size() > limits.target_bytes_max) return refuse(414, "URI too long", error);
        if (has_control(target) || target.empty()) return refuse(400, "malformed request target", error);
        request.method.assign(method.data(), method.size());
        request.target = without_origin(target);
        is_http11 = version >= 11;
        if (request.target.front() != '/' && request.target != "*")
            return refuse(400, "malformed request target", error);
    }

    void on_field_impl(http::field, BeastView name, BeastView value, error_code& error) override {
        if (state != State::kHead) return;  // a trailer: what it says comes too late to count
        if (request.headers.size() >= limits.headers_max) return refuse(431, "too many request header fields", error);
        if (has_control(value)) return refuse(400, "a header's value has a control character", error);
        HttpHeader header{lower(name), std::string(value.data(), value.size())};
        if (header.name == "content-length") {
            const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
            if (!request.header(header.name).empty()) return refuse(400, "more than one Content-Length", error);
            if (!std::all_of(header.value.begin(), header.value.end(), is_digit))
                return refuse(400, "malformed Content-Length", error);
            std::uint64_t size = 0;
            const char* const end = header.value.data() + header.value.size();
            if (std::from_chars(header.value.data(), end, size).ec == std::errc()) unread_body = size;
        } else if (header.name == "transfer-encoding") {
            if (lower(value) != "chunked" || !is_http11) return refuse(501, "unsupported transfer encoding", error);
        } else if (header.name == "host") {
            if (hosts_++ > 0) return refuse(400, "too many Host headers", error);
        } else if (header.name == "expect") {
            if (lower(value) != "100-continue") return refuse(417, "unsupported expectation", error);
            expects_continue = is_http11;
        }
        request.headers.push_back(std::move(header));
    }

    void on_header_impl(error_code& error) override {
        if (is_http11 && hosts_ == 0) return refuse(400, "missing required Host header", error);
        state = State::kBody;
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code&) override {
        // What is announced is believed up to a point only.
        if (keeps_body) body.reserve(std::min<std::uint64_t>(size.value_or(0), 64u << 10));
    }
    std::size_t on_body_impl(BeastView bytes, error_code&) override {
        if (unread_body) *unread_body -= std::min<std::uint64_t>(*unread_body, bytes.size());
        if (keeps_body) body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, error_code&) override {
        if (keeps_body) body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_finish_impl(error_code&) override {}
    void on_response_impl(int, BeastView, int, error_code&) override {}

    std::size_t head_bytes_ = 0;
    int hosts_ = 0;
};

RequestReader::RequestReader(const HttpLimits& limits) : parser_(std::make_unique<Parser>(limits)) {}
RequestReader::~RequestReader() = default;

std::size_t RequestReader::consume(std::string_view bytes) { return parser_->feed(bytes); }
RequestReader::State RequestReader::state() const { return parser_->state; }
bool RequestReader::expects_continue() const { return parser_->expects_continue; }
bool RequestReader::keeps_alive() const { return parser_->keep_alive(); }
bool RequestReader::takes_chunks() const { return parser_->is_http11; }
const HttpRequest& RequestReader::request() const { return parser_->request; }
HttpRequest RequestReader::take_head() { return std::move(parser_->request); }
void RequestReader::read_body() { parser_->takes_body = true; }
std::size_t RequestReader::body_bytes() const { return parser_->body.empty() ? 0 : parser_->body.capacity(); }
std::string RequestReader::take_body() { return std::move(parser_->body); }

bool RequestReader::skip_body(std::size_t bytes_max) {
    if (parser_->expects_continue || !parser_->unread_body || *parser_->unread_body > bytes_max) return false;
    parser_->takes_body = true;
    parser_->keeps_body = false;
    std::string().swap(parser_->body);
    return true;
}
const RequestReader::Refusal& RequestReader::refusal() const { return parser_->refusal; }

}  // namespace muster::os
