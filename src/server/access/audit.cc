#include "server/access/audit.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "api/text/json_text.h"
#include "api/text/utf8.h"
#include "api/value/time.h"

namespace muster::server {
namespace {

constexpr std::size_t kUriMax = 2048;
constexpr std::size_t kTextMax = 512;
constexpr std::size_t kAnnotationMax = 8192;

// What the API's own queries are called; sorted.
constexpr std::array<std::string_view, 33> kHarmless{"allowWatchBookmarks",
                                                     "container",
                                                     "continue",
                                                     "dryRun",
                                                     "exclude",
                                                     "fieldManager",
                                                     "fieldSelector",
                                                     "fieldValidation",
                                                     "follow",
                                                     "force",
                                                     "gracePeriodSeconds",
                                                     "hash",
                                                     "includeObject",
                                                     "insecureSkipTLSVerifyBackend",
                                                     "labelSelector",
                                                     "limit",
                                                     "limitBytes",
                                                     "orphanDependents",
                                                     "pretty",
                                                     "previous",
                                                     "propagationPolicy",
                                                     "resourceVersion",
                                                     "resourceVersionMatch",
                                                     "sendInitialEvents",
                                                     "sinceSeconds",
                                                     "sinceTime",
                                                     "stream",
                                                     "tailLines",
                                                     "timeout",
                                                     "timeoutSeconds",
                                                     "timestamps",
                                                     "verbose",
                                                     "watch"};

static_assert(std::is_sorted(kHarmless.begin(), kHarmless.end()));

void append_text(std::string_view text, std::size_t size_max, std::string& out) {
    if (text.size() > size_max) text = text.substr(0, size_max);
    if (api::is_utf8(text)) return api::append_json_string(text, out);
    api::append_json_string(api::repair_utf8(text), out);
}

void append_member(std::string_view name, std::string_view text, std::string& out, std::size_t size_max = kTextMax) {
    out.append(out.ends_with('{') ? "" : ",").append("\"").append(name).append("\":");
    append_text(text, size_max, out);
}
void append_if_set(std::string_view name, std::string_view text, std::string& out) {
    if (!text.empty()) append_member(name, text, out);
}

void append_user(std::string_view name, const User& user, std::string& out) {
    out.append(",\"").append(name).append("\":{");
    append_member("username", user.name, out);
    append_if_set("uid", user.uid, out);
    if (!user.groups.empty()) {
        out += ",\"groups\":[";
        for (const std::string& group : user.groups) {
            if (!out.ends_with('[')) out += ',';
            append_text(group, kTextMax, out);
        }
        out += ']';
    }
    out += '}';
}

void append_object(const Attributes& attributes, std::string& out) {
    out += ",\"objectRef\":{";
    append_member("resource", attributes.resource, out);
    append_if_set("namespace", attributes.namespace_, out);
    append_if_set("name", attributes.name, out);
    append_if_set("apiGroup", attributes.group, out);
    append_if_set("apiVersion", attributes.version, out);
    append_if_set("subresource", attributes.subresource, out);
    out += '}';
}

// "1.234567ms"
std::string milliseconds(Duration span) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.6gms", static_cast<double>(span.count()) / 1e6);
    return text;
}

}  // namespace

std::string without_secrets(std::string_view request_uri) {
    const std::size_t question = request_uri.find('?');
    std::string out(request_uri.substr(0, question));
    if (question == std::string_view::npos) return out;
    std::string_view query = request_uri.substr(question + 1);
    char separator = '?';
    for (;;) {
        const std::size_t end = query.find('&');
        const std::string_view pair = query.substr(0, end);
        const std::size_t equals = pair.find('=');
        const std::string_view name = pair.substr(0, equals);
        out += separator;
        if (equals == std::string_view::npos || std::binary_search(kHarmless.begin(), kHarmless.end(), name)) {
            out += pair;
        } else {
            out.append(name).append("=REDACTED");
        }
        if (end == std::string_view::npos) return out;
        query.remove_prefix(end + 1);
        separator = '&';
    }
}

std::string format_audit_line(const AuditRecord& record) {
    std::string out = R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete")";
    append_member("auditID", record.id, out);
    append_member("requestURI", without_secrets(record.request_uri), out, kUriMax);
    append_member("verb", record.attributes.verb, out);
    if (record.user) append_user("user", *record.user, out);
    if (record.impersonated) append_user("impersonatedUser", *record.impersonated, out);
    out += ",\"sourceIPs\":[";
    append_text(record.source_ip, kTextMax, out);
    out += ']';
    append_if_set("userAgent", record.user_agent, out);
    if (!record.attributes.is_path) append_object(record.attributes, out);
    out.append(",\"responseStatus\":{\"code\":").append(std::to_string(record.code)).append("}");
    append_member("requestReceivedTimestamp", api::MicroTime::from_instant(record.received).text(), out);
    append_member("stageTimestamp", api::MicroTime::from_instant(record.received + record.latency).text(), out);
    out += ",\"annotations\":{";
    append_member("apiserver.latency.k8s.io/total", milliseconds(record.latency), out);
    if (record.user) {
        append_member("authorization.k8s.io/decision", record.allowed ? "allow" : "forbid", out);
        append_member("authorization.k8s.io/reason", record.reason, out);
    }
    for (const auto& [key, value] : record.annotations) append_member(key, value, out, kAnnotationMax);
    return out + "}}\n";
}

}  // namespace muster::server
