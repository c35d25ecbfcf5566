// Who we are to the server and which authorities we trust, now: what changes while the process runs is read again.
// Files every minute, a plugin when what it gave expires, and both when the server does not accept the last or we do
// not trust it.
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
    std::string ca_certificates{};  // that the server is trusted by
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
    // The server is not trusted: the file of authorities is read again at the next get. False: there is none.
    bool untrusted();

private:
    struct Read {
        ServerAccess access{};                // with what is in its files
        std::optional<ExecAnswer> printed{};  // by its plugin
        std::optional<Instant> good_until{};
        bool complete = false;
    };
    // Files are read; the plugin runs when `last` has nothing of it.
    static Result<Read> read(Read last, const Ways& ways, Instant now);
    static Credential credential_of(const Read& read);
    bool is_due() const;

    os::Loop& loop_;
    os::Worker& worker_;
    const Ways ways_;
    const bool changes_;  // what is given
    Read current_;
    bool stale_ = false;    // current_
    bool refused_ = false;  // what the plugin has printed, too
    bool reading_ = false;
    os::Event changed_;
};

// Reads files of this machine and runs its programs.
Credentials::Ways real_ways(ReadFile read_file);

}  // namespace muster::client
