// Kubernetes' own control plane on nodes of kwok, which a benchmark compares with: what conformance/go/peers/up runs.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/check.h"
#include "bench/served.h"

namespace muster::bench {

class Peers {
public:
    // `up` is the script, `directory` where it keeps everything. Returns when the control plane is ready, or when there
    // is none because its programs are not built; ends this process when it does not start.
    Peers(const std::string& up, const std::string& directory)
        : served_([&](int to) { execute(up, directory, to); }), line_(served_.line()) {
        CHECK(line_.starts_with('/') || line_.starts_with(kSkipped),
              "upstream's control plane did not start: " + line_);
    }
    ~Peers() { served_.end(SIGTERM); }  // the script ends its programs

    explicit operator bool() const { return line_.starts_with('/'); }
    // Why there is none.
    std::string missing() const { return *this ? "" : line_.substr(kSkipped.size()); }

private:
    static constexpr std::string_view kSkipped = "SKIPPED: ";

    [[noreturn]] static void execute(const std::string& up, const std::string& directory, int to) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        ::dup2(to, STDOUT_FILENO);
        ::close(to);
        ::execl(up.c_str(), up.c_str(), directory.c_str(), nullptr);
        std::perror(up.c_str());
        ::_exit(1);
    }

    Served served_;
    std::string line_;  // the path of a kubeconfig, or why it was skipped
};

}  // namespace muster::bench
