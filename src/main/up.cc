#include "main/up.h"

#include <ostream>

#include "main/control_plane.h"
#include "os/http/http_limits.h"
#include "os/http/server/short_turns.h"
#include "os/log/log.h"
#include "os/loop/signals.h"
#include "os/machine/memory.h"
#include "os/machine/users.h"
#include "os/process/process_table.h"

namespace muster {

int run_up(const cli::UpOptions& options, cli::Terminal terminal) {
    os::RealLoop loop;
    std::unique_ptr<ControlPlane> plane;
    // Before any thread is there: they inherit that these are blocked.
    const os::Signals signals(loop, os::end_signals(), [&](int) {
        if (plane) plane->close_door([&] { loop.stop(); });
    });
    plane = std::make_unique<ControlPlane>(loop, options, [](std::string_view problem) { LOG_WARNING(problem); });
    int code = cli::kExitDone;
    const auto served = [&](const Result<>& written) {
        if (!written.ok()) {
            terminal.err << "muster: " << written.error().message << '\n';
            code = 1;
            return plane->close_door([&] { loop.stop(); });
        }
        terminal.out << "muster is ready: https://" << plane->address() << "  kubeconfig " << options.data_directory
                     << "/kubeconfig" << std::endl;
        if (const std::string line = describe_pod_user(plane->pod_user(), os::user_name(os::user_id())); !line.empty())
            terminal.out << line << std::endl;
        os::release_program_pages();
    };
    const std::string shortage = os::describe_shortage(os::raise_descriptor_limit(), os::HttpLimits().connections_max);
    if (!shortage.empty()) LOG_WARNING(shortage);
    Result<> started = plane->start();
    if (started.ok()) started = plane->serve(served);
    if (!started.ok()) {
        terminal.err << "muster: " << started.error().message << '\n';
        return 1;
    }
    os::ask_for_short_turns();
    loop.run();
    plane.reset();
    return code;
}

}  // namespace muster
