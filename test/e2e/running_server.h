// The real binary, serving: started on a free port with a data directory of its own, asked over HTTPS, ended by a
// signal. What tests of the whole server stand on.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "cli/connection/http_connection.h"
#include "client/remote/kubeconfig.h"
#include "os/files/files.h"

namespace muster::e2e {

class RunningServer {
public:
    // Keeps the directory: another server can go on there.
    explicit RunningServer(std::string directory, std::vector<std::string> more = {})
        : directory_(std::move(directory)) {
        std::vector<std::string> arguments = {MUSTER_BINARY, "up", "--data-dir", directory_, "--listen", "127.0.0.1:0"};
        for (const char* part : {"--controllers", "--node"})
            if (std::find(more.begin(), more.end(), part) == more.end()) more.insert(more.end(), {part, "none"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        start(arguments);
    }
    // As another user, under limits, …: `wrapper` is the beginning of a command line that goes on with the server's
    // and becomes it. With all controllers and a node that runs processes.
    RunningServer(std::vector<std::string> wrapper, std::string directory) : directory_(std::move(directory)) {
        std::vector<std::string> arguments = std::move(wrapper);
        for (const std::string& word : std::vector<std::string>{MUSTER_BINARY, "up", "--data-dir", directory_,
                                                                "--listen", "127.0.0.1:0", "--node", "process"})
            arguments.push_back(word);
        start(arguments);
    }
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;
    ~RunningServer() { stop(SIGTERM); }

    // Gives the exit status; after SIGKILL that of the signal.
    int stop(int signal) {
        if (pid_ < 0) return last_status_;
        ::kill(pid_, signal);
        ::waitpid(pid_, &last_status_, 0);
        pid_ = -1;
        if (output_) std::fclose(output_);
        output_ = nullptr;
        return last_status_;
    }

    std::string kubeconfig() const { return directory_ + "/kubeconfig"; }
    const std::string& ready_line() const { return ready_line_; }
    int pid() const { return pid_; }

    // Access as the administrator, which can be changed into another's.
    client::ServerAccess access() const {
        os::LinuxFiles files;
        const auto read = [&](const std::string& path) { return files.read(path, 1u << 20); };
        return client::read_kubeconfig({kubeconfig()}, {}, read).value();
    }
    // Its answers are shown as they are, also those that ask to come again later.
    std::unique_ptr<cli::Connection> connect() const {
        client::TransportSettings settings;
        settings.retries_max = 0;
        return cli::connect_http(access(), std::move(settings)).value();
    }

private:
    void start(const std::vector<std::string>& arguments) {
        int ends[2];
        CHECK(::pipe2(ends, O_CLOEXEC) == 0);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        std::vector<char*> argv;
        for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        CHECK(::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ) == 0);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_ = ::fdopen(ends[0], "r");
        for (int c = std::fgetc(output_); c != EOF && c != '\n'; c = std::fgetc(output_))
            ready_line_ += static_cast<char>(c);
    }

    const std::string directory_;
    pid_t pid_ = -1;
    int last_status_ = 0;
    std::FILE* output_ = nullptr;
    std::string ready_line_;
};

// An empty directory of that name below the system's temporary one.
inline std::string fresh_directory(const std::string& name) {
    const auto path =
        std::filesystem::temp_directory_path() / ("muster-e2e-" + name + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path);
    return path.string();
}

}  // namespace muster::e2e
