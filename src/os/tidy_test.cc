// Keeps the house rule that only os/ calls the clock, starts a thread or process, opens a file or a socket: the
// simulator can only run what goes through the seams. Reads the sources of every folder of src/ but os/; tests may do
// what they need.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace muster::os {
namespace {

struct Rule {
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
constexpr Rule kRules[] = {
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

// "12: std::thread: use os::Worker and os::offload", one per line that breaks a rule. Comments may say what they like.
std::vector<std::string> find_breaches(std::string_view source) {
    std::vector<std::string> breaches;
    std::istringstream lines{std::string(source)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::string_view code = std::string_view(line).substr(0, line.find("//"));
        for (const Rule& rule : kRules)
            if (breaks(code, rule.banned)) {
                std::ostringstream breach;
                breach << number << ": " << rule.banned << ": use " << rule.instead;
                breaches.push_back(breach.str());
                break;
            }
    }
    return breaches;
}

TEST(Tidy, OnlyOsTouchesTheSystem) {
    const std::filesystem::path root = std::filesystem::path(MUSTER_SOURCE_DIR) / "src";
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        const std::string path = std::filesystem::relative(entry.path(), root).string();
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cc") continue;
        if (path.starts_with("os/") || path.ends_with("_test.cc")) continue;
        ++files;
        std::ifstream file(entry.path());
        std::ostringstream source;
        source << file.rdbuf();
        for (const std::string& breach : find_breaches(source.str())) ADD_FAILURE() << "src/" << path << ":" << breach;
    }
    EXPECT_GT(files, 5) << "are the sources under " << root << "?";
}

TEST(Tidy, FindsWhatIsBannedAndOnlyThat) {
    const struct {
        const char* line;
        bool breach;
    } cases[] = {
        {"std::thread worker;", true},
        {"auto now = std::chrono::system_clock::now();", true},
        {"int file = ::open(path, O_RDONLY);", true},
        {"if (fork() == 0) return;", true},
        {"if (::fork() == 0) return;", true},
        {"#include <sys/stat.h>", true},
        {"std::ofstream out(path);", true},
        {"const int s = ::socket(AF_INET, SOCK_STREAM, 0);", true},
        {"std::threading thing;", false},
        {"store.fork();", false},
        {"store->fork();", false},
        {"Result<> Journal::open(const std::string& path) {", false},
        {"rocksdb::DB::Open(options, path, &db);", false},
        {"spork();", false},
        {"int x;  // not a std::thread", false},
        {"Instant now = loop.now();", false},
    };
    for (const auto& [line, breach] : cases) EXPECT_EQ(!find_breaches(line).empty(), breach) << line;
}

TEST(Tidy, ABreachNamesItsLineAndTheReplacement) {
    EXPECT_EQ(find_breaches("int x;\nstd::thread t;\n"),
              std::vector<std::string>{"2: std::thread: use os::Worker and os::offload"});
}

}  // namespace
}  // namespace muster::os
