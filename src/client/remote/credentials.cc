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

constexpr Duration kFilePeriod = 60s;

std::string without_end(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) text.pop_back();
    return text;
}

bool has_files(const ServerAccess& access) {
    return !access.ca_file.empty() || !access.client_certificate_file.empty() || !access.client_key_file.empty() ||
           !access.token_file.empty();
}

// With what is in its files now.
Result<ServerAccess> read_files(ServerAccess access, const ReadFile& read_file) {
    const auto read = [&](const std::string& path, std::string& into) -> Result<void> {
        if (path.empty()) return {};
        TRY_ASSIGN(into, read_file(path));
        return {};
    };
    TRY(read(access.ca_file, access.ca_certificates));
    TRY(read(access.client_certificate_file, access.client_certificate));
    TRY(read(access.client_key_file, access.client_key));
    TRY(read(access.token_file, access.token));
    if (!access.token_file.empty()) access.token = without_end(std::move(access.token));
    return access;
}

Result<ExecAnswer> run_plugin(const ServerAccess& access, const Credentials::Ways& ways) {
    Result<std::string> printed = ways.run_plugin(*access.exec, format_exec_info(access));
    if (printed.ok()) return parse_exec_answer(*access.exec, *printed);
    Error error = std::move(printed).error();
    error.message = "the exec plugin " + access.exec->command + ": " + error.message;
    if (!access.exec->install_hint.empty()) error.message += "\n" + access.exec->install_hint;
    return error;
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
    : loop_(loop),
      worker_(worker),
      ways_(std::move(ways)),
      changes_(access.exec || has_files(access)),
      current_{.access = std::move(access)},
      changed_(loop) {}

Result<Credentials::Read> Credentials::read(Read last, const Ways& ways, Instant now) {
    Read out = std::move(last);
    Result<ServerAccess> fresh = read_files(out.access, ways.read_file);
    // A file that is being replaced: what there was may be good still.
    if (!fresh.ok() && !out.complete) return fresh.error();
    if (fresh.ok()) out.access = *std::move(fresh);
    out.complete = true;
    out.good_until.reset();
    if (has_files(out.access)) out.good_until = now + kFilePeriod;
    if (!out.access.exec) return out;
    if (!out.printed) {
        TRY_ASSIGN(out.printed, run_plugin(out.access, ways));
    }
    const std::optional<Instant> expires = out.printed->expires;
    if (expires && (!out.good_until || *expires < *out.good_until)) out.good_until = expires;
    return out;
}

Credential Credentials::credential_of(const Read& read) {
    const ServerAccess& access = read.access;
    Credential out{access.token, access.client_certificate, access.client_key, access.ca_certificates};
    if (!read.printed) return out;
    const Credential& printed = read.printed->credential;
    if (!printed.token.empty()) out.token = printed.token;
    if (!printed.client_certificate.empty()) {
        out.client_certificate = printed.client_certificate;
        out.client_key = printed.client_key;
    }
    return out;
}

bool Credentials::is_due() const {
    return !current_.complete || stale_ || (current_.good_until && *current_.good_until <= loop_.now());
}

os::Task<Result<Credential>> Credentials::get() {
    while (reading_) co_await changed_.wait();
    if (!is_due()) co_return credential_of(current_);
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
    Read last = current_;
    const bool expired = last.printed && last.printed->expires && *last.printed->expires <= now;
    if (refused_ || expired) last.printed.reset();
    Result<Read> fresh = Read();
    if (changes_) {
        auto work = [last, ways = ways_, now] { return read(last, ways, now); };
        fresh = co_await os::offload(loop_, worker_, std::move(work));
    } else {
        fresh = read(last, ways_, now);
    }
    if (!fresh.ok()) co_return fresh.error();
    stale_ = refused_ = false;
    current_ = std::move(*fresh);
    co_return credential_of(current_);
}

bool Credentials::refused() {
    stale_ = refused_ = changes_;
    return changes_;
}

bool Credentials::untrusted() {
    const bool has_file = !current_.access.ca_file.empty();
    stale_ = stale_ || has_file;
    return has_file;
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
