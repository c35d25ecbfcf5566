// The client verbs' flags, and the run of the one that was typed. Beside command_line.cc the only file that knows the
// parsing library.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cli/connection/surroundings.h"
#include "cli/text/terminal.h"

namespace CLI {
class App;
}

namespace muster::cli {

class ClientVerbs {
public:
    ClientVerbs();
    ~ClientVerbs();
    ClientVerbs(const ClientVerbs&) = delete;
    ClientVerbs& operator=(const ClientVerbs&) = delete;

    // Declares get, describe, apply, delete, wait, logs, api-resources and backup. The app must not outlive this.
    void declare(CLI::App& app);
    // Whether the verb is one of these.
    bool has(const CLI::App& verb) const;
    // Runs the verb that the app has parsed, if it is one of these; its exit code, or nothing.
    std::optional<int> run(const Surroundings& surroundings, Terminal terminal);

private:
    struct Choices;
    std::unique_ptr<Choices> choices_;
};

}  // namespace muster::cli
