// One line of the audit log: who asked for what, and what became of it. The form is that of Kubernetes' audit events
// at level Metadata, so that what reads those reads these. Bodies never come into it, and of the query only what cannot
// hold a secret.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/instant.h"
#include "server/access/rbac/attributes.h"
#include "server/identity/user.h"

namespace muster::server {

// Views and pointers: good while the line is made.
struct AuditRecord {
    std::string_view id{};  // of the request, unique
    Instant received{};
    Duration latency{};
    const User* user = nullptr;          // null: authentication failed
    const User* impersonated = nullptr;  // null: the user acts as themselves
    Attributes attributes{};
    std::string_view request_uri{};  // path and query as sent
    std::string_view source_ip{};
    std::string_view user_agent{};
    int code = 0;
    bool allowed = true;                                                 // by authorization
    std::string_view reason{};                                           // of that decision
    std::span<const std::pair<std::string, std::string>> annotations{};  // what admission has to add
};

// Compact JSON and a line break. Always valid, however odd what the client sent.
std::string format_audit_line(const AuditRecord& record);

// The values of queries that are not known to be harmless are taken out: ?token=x becomes ?token=REDACTED.
std::string without_secrets(std::string_view request_uri);

}  // namespace muster::server
