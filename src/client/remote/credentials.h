// Who we are to the server, now: credentials that change while the process runs are read again. A token file every
// minute, a plugin when what it gave expires, and both when the server does not accept the last.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/instant.h"
#include "client/remote/access.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

struct Credential {
    std::string token{};
    std::string client_certificate{};
    std::string client_key{};
    bool operator==(const Credential&) const = default;
};

// What a plugin is told in KUBERNETES_EXEC_INFO.
std::string format_exec_info(const ServerAccess& access);
struct ExecAnswer {
    Credential credential{};
    std::optional<Instant> expires{};
    bool operator==(const ExecAnswer&) const = default;
};
// An ExecCredential document. kBadRequest when it is none, or has neither a token nor a certificate.
Result<ExecAnswer> parse_exec_answer(const ExecPlugin& plugin, std::string_view text);

class Credentials {
public:
    // What the reading of files and the running of plugins is done with; both block, on the worker.
    struct Ways {
        ReadFile read_file;
        std::function<Result<std::string>(const ExecPlugin& plugin, const std::string& info)> run_plugin;
    };
    // Loop and worker must outlive it, and it must outlive its Tasks.
    Credentials(os::Loop& loop, os::Worker& worker, ServerAccess access, Ways ways);

    // Reads what is due first.
    os::Task<Result<Credential>> get();
    // The server did not accept what was given last: it is read again at the next get. False: it would be the same.
    bool refused();

private:
    struct Read {
        Credential credential{};
        std::optional<Instant> good_until{};
    };
    static Result<Read> read(const ServerAccess& access, const Ways& ways, Instant now);
    bool is_due() const;

    os::Loop& loop_;
    os::Worker& worker_;
    const ServerAccess access_;
    const Ways ways_;
    std::optional<Read> current_;
    bool reading_ = false;
    os::Event changed_;
};

// Reads files of this machine and runs its programs.
Credentials::Ways real_ways(ReadFile read_file);

}  // namespace muster::client
