// What a benchmark measures runs in processes of their own, so that their CPU time and memory are theirs alone.
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/check.h"
#include "os/descriptor.h"

namespace muster::bench {

// `serve` runs in the new process and is given a descriptor that `line` reads from. Killed when this is destroyed.
class Served {
public:
    explicit Served(const std::function<void(int)>& serve) {
        int ends[2];
        CHECK(::pipe(ends) == 0);
        pid_ = ::fork();
        CHECK(pid_ >= 0);
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::close(ends[0]);
            serve(ends[1]);
            ::_exit(0);
        }
        ::close(ends[1]);
        from_ = os::Descriptor(ends[0]);
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;
    ~Served() { end(SIGKILL); }

    pid_t pid() const { return pid_; }
    // What it writes next, up to a line's end; empty when it has ended.
    std::string line() {
        std::string text;
        char c;
        while (::read(from_.number(), &c, 1) == 1 && c != '\n') text += c;
        return text;
    }
    // Asks it to end, and waits until it has.
    void end(int signal) {
        if (pid_ == 0) return;
        ::kill(pid_, signal);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    pid_t pid_ = 0;
    os::Descriptor from_;
};

inline void tell(int to, const std::string& text) { CHECK(::write(to, text.data(), text.size()) > 0); }
[[noreturn]] inline void sleep_for_ever() {
    for (;;) ::pause();
}

inline void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}
inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    CHECK(file.good(), path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A folder in the system's temporary one, removed with everything in it.
class Folder {
public:
    explicit Folder(const std::string& name) {
        path_ = (std::filesystem::temp_directory_path() / (name + ".XXXXXX")).string();
        CHECK(::mkdtemp(path_.data()));
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace muster::bench
