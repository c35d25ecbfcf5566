#include "os/http/client/http_response_reader.h"

#include <boost/beast/http/basic_parser.hpp>

namespace muster::os {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

constexpr std::uint32_t kHeadBytesMax = 256u << 10;

}  // namespace

class ResponseReader::Parser final : public http::basic_parser<false> {
public:
    explicit Parser(bool to_head) {
        eager(true);
        header_limit(kHeadBytesMax);
        body_limit(boost::none);  // the reader of the body limits its size
        skip(to_head);
    }
    HttpAnswerHead head;
    std::string body;

private:
    void on_response_impl(int status, BeastView, int, error_code&) override { head.status = status; }
    void on_field_impl(http::field, BeastView name, BeastView value, error_code&) override {
        if (is_header_done()) return;  // a trailer
        HttpHeader header{std::string(name.data(), name.size()), std::string(value.data(), value.size())};
        for (char& c : header.name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        head.headers.push_back(std::move(header));
    }
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(BeastView bytes, error_code&) override {
        body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, error_code&) override {
        body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_finish_impl(error_code&) override {}
    void on_request_impl(http::verb, BeastView, BeastView, int, error_code&) override {}
};

ResponseReader::ResponseReader(bool to_head) : parser_(std::make_unique<Parser>(to_head)), to_head_(to_head) {}
ResponseReader::~ResponseReader() = default;

Result<std::size_t> ResponseReader::consume(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !done()) {
        error_code error;
        used += parser_->put({bytes.data() + used, bytes.size() - used}, error);
        if (error == http::error::need_more) break;
        if (error) return Error{Code::kBadRequest, "the answer is not HTTP: " + error.message()};
        if (done() && head().status / 100 == 1) parser_ = std::make_unique<Parser>(to_head_);
    }
    return used;
}

Result<> ResponseReader::end() {
    error_code error = http::error::partial_message;
    if (parser_->got_some()) parser_->put_eof(error);
    if (error) return Error{Code::kUnavailable, "the connection ended in the middle of the answer"};
    return {};
}

bool ResponseReader::head_done() const { return parser_->is_header_done(); }
bool ResponseReader::done() const { return parser_->is_done(); }
bool ResponseReader::keeps_alive() const { return parser_->keep_alive(); }
HttpAnswerHead& ResponseReader::head() { return parser_->head; }
std::string ResponseReader::take_body() { return std::exchange(parser_->body, {}); }

}  // namespace muster::os
