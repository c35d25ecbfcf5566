#include "cli/connection/session.h"

#include <boost/json/array.hpp>
#include <ostream>

#include "api/codec/dom.h"
#include "cli/text/document.h"
#include "client/remote/status_error.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

// "The Job "pi" is invalid: spec.x: Required value", or one line per cause when there are several. A patch that makes
// no object is a request that is invalid.
std::string invalid_text(const json::value& status) {
    const std::string kind = text_at(status, "/details/kind");
    std::string text = kind.empty() ? "The request is invalid"
                                    : "The " + kind + " \"" + text_at(status, "/details/name") + "\" is invalid";
    const json::value* causes = find_at(status, "/details/causes");
    if (!causes || !causes->is_array() || causes->as_array().empty()) return text + ": " + text_at(status, "/message");
    const json::array& list = causes->as_array();
    text += list.size() == 1 ? ": " : ": \n";
    const char* before = "";
    for (const json::value& cause : list) {
        if (list.size() > 1) text.append(before).append("* ");
        text += text_at(cause, "/field") + ": " + text_at(cause, "/message");
        before = "\n";
    }
    return text;
}

}  // namespace

Error status_error(int http_status, std::string_view body) {
    Error error = client::status_error(http_status, body);
    const Result<json::value> parsed = api::parse_dom(body, {});
    if (!parsed.ok() || text_at(*parsed, "/kind") != "Status") {
        error.message = "Error from server: " + error.message;
        return error;
    }
    const std::string reason = text_at(*parsed, "/reason");
    const std::string named = reason.empty() ? "" : " (" + reason + ")";
    if (reason == "Invalid" && find_at(*parsed, "/details"))
        error.message = invalid_text(*parsed);
    else
        error.message = "Error from server" + named + ": " + error.message;
    return error;
}

Result<json::value> call(Session& session, const Request& request) {
    TRY_ASSIGN(const Response response, session.connection.send(request));
    for (const std::string& warning : response.warnings) session.terminal.err << "Warning: " << warning << '\n';
    if (response.status < 200 || response.status > 299) return status_error(response.status, response.body);
    return parse_answer(response.body);
}

void each_manifest(Session& session, const std::vector<std::string>& paths, bool recursive, const OnManifest& found) {
    const auto read = [&](const std::string& file) -> Result<std::vector<json::object>> {
        TRY_ASSIGN(const std::string text, session.read_file(file));
        return parse_manifest(text, file);
    };
    for (const std::string& path : paths) {
        Result<std::vector<std::string>> files = std::vector<std::string>{path};
        if (session.manifests_in) files = session.manifests_in(path, recursive);
        if (!files.ok()) {
            if (!found(files.error())) return;
            continue;
        }
        for (const std::string& file : *files)
            if (!found(read(file))) return;
    }
}

Result<json::value> parse_answer(std::string_view text) {
    constexpr std::size_t kLevelsAround = 10;
    return api::parse_dom(text, {.bytes_max = 1u << 30, .depth_max = api::DecodeLimits().depth_max + kLevelsAround});
}

int tell(Session& session, const Error& error) {
    const bool complete = error.message.starts_with("Error from server") || error.message.starts_with("The ");
    session.terminal.err << (complete ? "" : "error: ") << error.message << '\n';
    return kExitFailed;
}

}  // namespace muster::cli
