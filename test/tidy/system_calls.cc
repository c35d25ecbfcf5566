// rules.h's check_system_calls. Only os/ calls the clock, starts a thread or process, opens a file or a socket: the
// simulator can only run what goes through the seams.
#include <cctype>
#include <string_view>

#include "tidy/rules.h"

namespace muster::tidy {
namespace {

struct Ban {
    std::string_view banned;
    std::string_view instead;
};

constexpr std::string_view kClock = "os::Loop::now() or uptime()";
constexpr std::string_view kThread = "os::Worker and os::offload";
constexpr std::string_view kFile = "os::Files";
constexpr std::string_view kSocket = "os::Network";
constexpr std::string_view kProcess = "os::Processes";
constexpr std::string_view kSignal = "os::Signals";
constexpr std::string_view kChance = "Prng of base/prng.h, seeded in main by os::draw_seed()";

// A name is found wherever it stands as a whole; `::open(` only as a call of the global function, since others may
// well have an `open` of their own; `#include <sys/` by its beginning.
constexpr Ban kBans[] = {
    {"system_clock::now", kClock},
    {"steady_clock::now", kClock},
    {"high_resolution_clock", kClock},
    {"clock_gettime", kClock},
    {"gettimeofday", kClock},
    {"std::time(", kClock},
    {"::time(", kClock},
    {"std::this_thread", "os::sleep_for or os::yield"},
    {"::sleep(", "os::sleep_for"},
    {"::usleep(", "os::sleep_for"},
    {"::nanosleep(", "os::sleep_for"},
    {"std::thread", kThread},
    {"std::jthread", kThread},
    {"std::async", kThread},
    {"pthread_create", kThread},
    {"std::ifstream", kFile},
    {"std::ofstream", kFile},
    {"std::fstream", kFile},
    {"std::filesystem", kFile},
    {"fopen", kFile},
    {"::open(", kFile},
    {"::openat(", kFile},
    {"::creat(", kFile},
    {"::mkdir(", kFile},
    {"::unlink(", kFile},
    {"::rename(", kFile},
    {"std::rename(", kFile},
    {"std::remove(\"", kFile},
    {"::socket(", kSocket},
    {"::connect(", kSocket},
    {"::bind(", kSocket},
    {"::accept(", kSocket},
    {"::listen(", kSocket},
    {"getaddrinfo", kSocket},
    {"fork(", kProcess},
    {"vfork(", kProcess},
    {"posix_spawn", kProcess},
    {"execve(", kProcess},
    {"::kill(", kProcess},
    {"popen(", kProcess},
    {"std::system(", kProcess},
    {"std::signal(", kSignal},
    {"sigaction", kSignal},
    {"std::random_device", kChance},
    {"std::mt19937", kChance},
    {"std::rand(", kChance},
    {"::rand(", kChance},
    {"getrandom", "os::draw_seed()"},
    {"#include <thread>", kThread},
    {"#include <future>", kThread},
    {"#include <pthread.h>", kThread},
    {"#include <fstream>", kFile},
    {"#include <filesystem>", kFile},
    {"#include <fcntl.h>", kFile},
    {"#include <dirent.h>", kFile},
    {"#include <unistd.h>", "the seams of os/"},
    {"#include <sys/", "the seams of os/"},
    {"#include <poll.h>", "os::RealLoop::watch"},
    {"#include <netinet/", kSocket},
    {"#include <arpa/", kSocket},
    {"#include <netdb.h>", kSocket},
    {"#include <spawn.h>", kProcess},
    {"#include <signal.h>", kSignal},
    {"#include <csignal>", kSignal},
    {"#include <random>", kChance},
};

bool in_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_'; }

// Whether what stands before `at` lets the banned word begin there.
bool begins(std::string_view line, std::size_t at, std::string_view banned) {
    if (at == 0 || banned.front() == '#') return true;
    const char before = line[at - 1];
    if (banned.starts_with("::")) return !in_name(before) && before != '>';
    return !in_name(before) && before != '.' && !line.substr(0, at).ends_with("->");
}

bool breaks(std::string_view line, std::string_view banned) {
    for (std::size_t at = line.find(banned); at != line.npos; at = line.find(banned, at + 1)) {
        const std::size_t end = at + banned.size();
        const bool ends = !in_name(banned.back()) || end == line.size() || !in_name(line[end]);
        if (ends && begins(line, at, banned)) return true;
    }
    return false;
}

}  // namespace

Findings check_system_calls(const SourceFile& file) {
    Findings findings;
    if (!file.is_cpp() || !file.is_under("src/") || file.is_under("src/os/") || file.is_test()) return findings;
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view code = lines[i].substr(0, lines[i].find("//"));
        for (const Ban& ban : kBans) {
            if (!breaks(code, ban.banned)) continue;
            findings.push_back(finding_at(file, i, std::string(ban.banned) + ": use " + std::string(ban.instead)));
            break;
        }
    }
    return findings;
}

}  // namespace muster::tidy
