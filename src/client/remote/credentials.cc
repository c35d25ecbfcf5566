#include "client/remote/credentials.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/codec/base64.h"
#include "api/codec/dom.h"
#include "api/codec/dom_at.h"
#include "api/value/time.h"
#include "os/machine/run_command.h"

namespace muster::client {
namespace {

namespace json = boost::json;
using api::text_at;

constexpr Duration kTokenFilePeriod = 60s;

std::string without_end(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) text.pop_back();
    return text;
}

}  // namespace

std::string format_exec_info(const ServerAccess& access) {
    json::object spec{{"interactive", false}};
    if (access.exec->wants_cluster) {
        json::object cluster{{"server", access.server}};
        if (!access.tls_server_name.empty()) cluster["tls-server-name"] = access.tls_server_name;
        if (access.insecure) cluster["insecure-skip-tls-verify"] = true;
        if (!access.proxy_url.empty()) cluster["proxy-url"] = access.proxy_url;
        if (!access.ca_certificates.empty()) {
            std::string encoded;
            api::append_base64(access.ca_certificates, encoded);
            cluster["certificate-authority-data"] = encoded;
        }
        spec["cluster"] = std::move(cluster);
    }
    return json::serialize(
        json::object{{"kind", "ExecCredential"}, {"apiVersion", access.exec->api_version}, {"spec", std::move(spec)}});
}

Result<ExecAnswer> parse_exec_answer(const ExecPlugin& plugin, std::string_view text) {
    const auto bad = [&](const std::string& why) {
        return Error{Code::kBadRequest, "the exec plugin " + plugin.command + ": " + why};
    };
    const Result<json::value> parsed = api::parse_dom(text, {});
    if (!parsed.ok()) return bad(parsed.error().message);
    if (text_at(*parsed, "/kind") != "ExecCredential") return bad("it printed no ExecCredential");
    if (text_at(*parsed, "/apiVersion") != plugin.api_version)
        return bad("it printed " + text_at(*parsed, "/apiVersion") + " and not " + plugin.api_version);
    ExecAnswer answer;
    answer.credential.token = text_at(*parsed, "/status/token");
    answer.credential.client_certificate = text_at(*parsed, "/status/clientCertificateData");
    answer.credential.client_key = text_at(*parsed, "/status/clientKeyData");
    if (answer.credential.token.empty() && answer.credential.client_certificate.empty())
        return bad("it gave neither a token nor a certificate");
    if (answer.credential.client_certificate.empty() != answer.credential.client_key.empty())
        return bad("it gave a certificate without its key, or a key without its certificate");
    const std::string expires = text_at(*parsed, "/status/expirationTimestamp");
    if (expires.empty()) return answer;
    const auto time = api::Time::parse(expires);
    if (!time) return bad("expirationTimestamp is no time: " + expires);
    answer.expires = time->instant();
    return answer;
}

Credentials::Credentials(os::Loop& loop, os::Worker& worker, ServerAccess access, Ways ways)
    : loop_(loop), worker_(worker), access_(std::move(access)), ways_(std::move(ways)), changed_(loop) {}

Result<Credentials::Read> Credentials::read(const ServerAccess& access, const Ways& ways, Instant now) {
    Read out{{access.token, access.client_certificate, access.client_key}, std::nullopt};
    if (access.exec) {
        Result<std::string> printed = ways.run_plugin(*access.exec, format_exec_info(access));
        if (!printed.ok()) {
            Error error = std::move(printed).error();
            error.message = "the exec plugin " + access.exec->command + ": " + error.message;
            if (!access.exec->install_hint.empty()) error.message += "\n" + access.exec->install_hint;
            return error;
        }
        TRY_ASSIGN(const ExecAnswer answer, parse_exec_answer(*access.exec, *printed));
        if (!answer.credential.token.empty()) out.credential.token = answer.credential.token;
        if (!answer.credential.client_certificate.empty()) {
            out.credential.client_certificate = answer.credential.client_certificate;
            out.credential.client_key = answer.credential.client_key;
        }
        out.good_until = answer.expires;
    } else if (!access.token_file.empty()) {
        TRY_ASSIGN(std::string token, ways.read_file(access.token_file));
        out.credential.token = without_end(std::move(token));
        out.good_until = now + kTokenFilePeriod;
    }
    return out;
}

bool Credentials::is_due() const { return !current_ || (current_->good_until && *current_->good_until <= loop_.now()); }

os::Task<Result<Credential>> Credentials::get() {
    while (reading_) co_await changed_.wait();
    if (!is_due()) co_return current_->credential;
    // Who is cancelled in the middle must not leave the others waiting.
    struct Reading {
        explicit Reading(Credentials& of) : credentials(of) { credentials.reading_ = true; }
        ~Reading() {
            credentials.reading_ = false;
            credentials.changed_.notify();
        }
        Credentials& credentials;
    };
    const Reading reading(*this);
    const Instant now = loop_.now();
    const bool blocks = access_.exec || !access_.token_file.empty();
    Result<Read> fresh = Read();
    if (blocks) {
        auto work = [access = access_, ways = ways_, now] { return read(access, ways, now); };
        fresh = co_await os::offload(loop_, worker_, std::move(work));
    } else {
        fresh = read(access_, ways_, now);
    }
    if (!fresh.ok()) {
        // A file that is being replaced: what there was may be good still.
        if (current_ && !access_.exec) co_return current_->credential;
        co_return fresh.error();
    }
    current_ = std::move(*fresh);
    co_return current_->credential;
}

bool Credentials::refused() {
    if (!access_.exec && access_.token_file.empty()) return false;
    current_.reset();
    return true;
}

Credentials::Ways real_ways(ReadFile read_file) {
    Credentials::Ways ways;
    ways.read_file = std::move(read_file);
    ways.run_plugin = [](const ExecPlugin& plugin, const std::string& info) {
        os::Command command;
        command.arguments.push_back(plugin.command);
        command.arguments.insert(command.arguments.end(), plugin.arguments.begin(), plugin.arguments.end());
        for (const auto& [name, value] : plugin.environment) command.environment.push_back(name + "=" + value);
        command.environment.push_back("KUBERNETES_EXEC_INFO=" + info);
        return os::run_command(command);
    };
    return ways;
}

}  // namespace muster::client
