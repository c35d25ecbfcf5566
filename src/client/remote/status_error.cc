#include "client/remote/status_error.h"

#include <algorithm>
#include <charconv>

#include "api/codec/dom.h"
#include "api/codec/dom_at.h"
#include "api/value/failure_code.h"

namespace muster::client {
namespace {

namespace json = boost::json;
using api::text_at;

constexpr std::size_t kTextMax = 200;

// A gateway without a server behind it is as good as a server that cannot answer.
Code code_of(int http_status, std::string_view reason) {
    return api::code_of_failure(http_status == 502 ? 503 : http_status, reason);
}

bool is_about_uid(const std::vector<Cause>& causes) {
    return !causes.empty() &&
           std::all_of(causes.begin(), causes.end(), [](const Cause& cause) { return cause.field == "metadata.uid"; });
}

}  // namespace

Error status_error(int http_status, std::string_view body) {
    const Result<json::value> parsed = api::parse_dom(body, {});
    if (!parsed.ok() || text_at(*parsed, "/kind") != "Status")
        return {code_of(http_status, ""), std::to_string(http_status) + " " + std::string(body.substr(0, kTextMax))};
    const json::value& status = *parsed;
    Error error{code_of(http_status, text_at(status, "/reason")), text_at(status, "/message")};
    for (const json::value& cause : api::array_at(status, "/details/causes"))
        error.causes.push_back({text_at(cause, "/reason"), text_at(cause, "/field"), text_at(cause, "/message")});
    error.about = {text_at(status, "/details/name"), text_at(status, "/details/group"),
                   text_at(status, "/details/kind")};
    const std::string seconds = text_at(status, "/details/retryAfterSeconds");
    std::from_chars(seconds.data(), seconds.data() + seconds.size(), error.retry_after_seconds);
    if (error.code == Code::kInvalid && is_about_uid(error.causes)) error.code = Code::kConflict;
    return error;
}

}  // namespace muster::client
