// Kills a process that writes to a store, at random moments, and looks at what is left:
//   - every acknowledged write is there, whole; of the one that each writer was at, all or nothing;
//   - no revision that anyone was shown is given again or lost; revisions never go back.
//     crash_test [--cycles N] [--seed S] [--directory DIR]
//     crash_test --full-disk [--directory DIR]       the disk fills up instead, and room comes back
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "writer.h"

extern char** environ;

namespace muster::store {
namespace crash_test {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A child whose standard output we read.
class Child {
public:
    explicit Child(std::vector<std::string> arguments) {
        int ends[2];
        CHECK(::pipe2(ends, O_CLOEXEC) == 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        CHECK(::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, argv.data(), environ) == 0);
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        output_ = ends[0];
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { ::close(output_); }

    // Reads until the time has passed or the output ended.
    void read_until(Clock::time_point end) {
        for (;;) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
            pollfd ready{output_, POLLIN, 0};
            if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0 || !read_some()) return;
        }
    }
    void kill() { ::kill(process_, SIGKILL); }
    // Reads what is left; gives the exit status as waitpid does.
    int finish() {
        while (read_some()) {
        }
        int status = 0;
        CHECK(::waitpid(process_, &status, 0) == process_);
        return status;
    }
    const std::string& text() const { return text_; }

private:
    bool read_some() {
        char bytes[65536];
        const ssize_t got = ::read(output_, bytes, sizeof bytes);
        if (got <= 0) return false;
        text_.append(bytes, static_cast<std::size_t>(got));
        return true;
    }
    pid_t process_ = 0;
    int output_ = -1;
    std::string text_;
};

struct Value {
    std::uint64_t revision;
    std::string text;
};

// What the outside knows.
class Ledger {
public:
    // Reads what a victim said; whole lines only. Its unfinished tries stay open.
    void read(const std::string& said) {
        tries_.clear();
        std::istringstream lines(said.substr(0, said.rfind('\n') + 1));
        for (std::string word; lines >> word;) {
            if (word == "open") {
                std::uint64_t revision = 0;
                lines >> revision;
                expect(revision >= recovered_, "opened at a revision older than before");
            } else if (word == "try") {
                std::size_t writer = 0;
                Try tried;
                lines >> writer >> tried.key >> tried.text;
                tries_[writer] = tried;
            } else if (word == "ack") {
                std::size_t writer = 0;
                std::uint64_t revision = 0;
                lines >> writer >> revision;
                acknowledge(writer, revision);
            } else if (word == "seen") {
                std::uint64_t revision = 0;
                std::string key;
                lines >> revision >> key;
                expect(revision > recovered_ && revision > shown_, "a watch went back");
                shown_ = revision;
            } else {
                expect(false, "unexpected: " + word);
            }
        }
    }

    // Compares with what a dump found, and takes over what the open tries came to.
    void compare(const std::string& dump) {
        std::istringstream lines(dump);
        std::string word;
        std::uint64_t revision = 0;
        lines >> word >> revision;
        expect(word == "revision" && revision >= recovered_ && revision >= acknowledged_ && revision >= shown_,
               "recovered revision " + std::to_string(revision) + ", but " + std::to_string(recovered_) +
                   " was recovered, " + std::to_string(acknowledged_) + " acknowledged and " + std::to_string(shown_) +
                   " shown before");
        std::map<std::string, Value> found;
        std::string key;
        for (Value value; lines >> key >> value.revision >> value.text;) {
            expect(value.revision <= revision, key + " is from the future");
            found[key] = value;
        }
        settle_tries(found);
        for (const auto& [name, value] : known_) {
            const auto at = found.find(name);
            expect(at != found.end(), name + " was acknowledged and is lost");
            if (at == found.end()) continue;
            expect(at->second.revision == value.revision && at->second.text == value.text,
                   name + " is not as acknowledged");
        }
        expect(found.size() == known_.size(), "there are objects that were never written or were removed");
        recovered_ = revision;
    }

    int failures() const { return failures_; }
    std::size_t acknowledgements() const { return acknowledgements_; }
    std::uint64_t recovered() const { return recovered_; }

private:
    struct Try {
        std::string key;
        std::string text;
    };

    void acknowledge(std::size_t writer, std::uint64_t revision) {
        ++acknowledgements_;
        const auto tried = tries_.find(writer);
        if (tried == tries_.end()) return expect(false, "an answer without a question");
        expect(revision > recovered_, "revision " + std::to_string(revision) + " was given before");
        expect(given_.insert(revision).second, "revision " + std::to_string(revision) + " was given twice");
        acknowledged_ = std::max(acknowledged_, revision);
        if (tried->second.text == "-") {
            known_.erase(tried->second.key);
        } else {
            known_[tried->second.key] = {revision, tried->second.text};
        }
        tries_.erase(tried);
    }

    // A try without an answer may have happened or not, but not something else.
    void settle_tries(const std::map<std::string, Value>& found) {
        for (const auto& [writer, tried] : tries_) {
            const auto now = found.find(tried.key);
            const auto before = known_.find(tried.key);
            if (tried.text == "-") {
                if (now == found.end()) known_.erase(tried.key);
            } else if (now != found.end() && now->second.text == tried.text) {
                expect(before == known_.end() || now->second.revision > before->second.revision,
                       tried.key + " went back");
                known_[tried.key] = now->second;
            }
        }
        tries_.clear();
    }

    void expect(bool holds, const std::string& otherwise) {
        if (holds) return;
        ++failures_;
        std::fprintf(stderr, "FAILED: %s\n", otherwise.c_str());
    }

    std::map<std::string, Value> known_;
    std::map<std::size_t, Try> tries_;
    std::set<std::uint64_t> given_;
    std::uint64_t recovered_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t shown_ = 0;
    std::size_t acknowledgements_ = 0;
    int failures_ = 0;
};

void look(Ledger& ledger, const std::string& directory, bool orderly) {
    Child dump({"crash_test", "--dump", directory, orderly ? "orderly" : "abrupt"});
    const int status = dump.finish();
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the store cannot be opened or holds nonsense");
    ledger.compare(dump.text());
}

int run_cycles(const std::string& directory, int cycles, std::uint64_t seed) {
    fs::remove_all(directory);
    Prng chance(seed);
    Ledger ledger;
    for (int cycle = 0; cycle < cycles && ledger.failures() == 0; ++cycle) {
        Child victim({"crash_test", "--writer", directory, std::to_string(chance.next() >> 1)});
        // Some die while they open, most while they write.
        const auto life = std::chrono::milliseconds(chance.below(10) == 0 ? chance.below(60) : 60 + chance.below(600));
        victim.read_until(Clock::now() + life);
        victim.kill();
        const int status = victim.finish();
        CHECK(WIFSIGNALED(status), "the victim died by itself");
        ledger.read(victim.text());
        look(ledger, directory, chance.below(2) == 0);
    }
    std::printf("%d cycles, %zu writes acknowledged, revision %lu, %d failures (seed %lu)\n", cycles,
                ledger.acknowledgements(), static_cast<unsigned long>(ledger.recovered()), ledger.failures(),
                static_cast<unsigned long>(seed));
    if (ledger.acknowledgements() == 0) return 1;
    fs::remove_all(directory);
    return ledger.failures() == 0 ? 0 : 1;
}

// Writes until the disk is full; the process must end by itself, and all it acknowledged be there when there is room.
int run_full_disk(const std::string& directory) {
    fs::remove_all(directory);
    fs::create_directories(directory);
    const bool mounted = ::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=12m") == 0;
    if (!mounted) std::printf("cannot mount a small disk (%s): limiting file sizes instead\n", std::strerror(errno));
    const std::string data = directory + "/data";
    Ledger ledger;
    int ended = 0;
    for (int round = 0; round < 3; ++round) {
        Child victim({"crash_test", mounted ? "--growing-writer" : "--limited-writer", data, std::to_string(round)});
        victim.read_until(Clock::now() + std::chrono::seconds(30));
        victim.kill();  // in vain, if it ended by itself
        const int status = victim.finish();
        if (WIFEXITED(status) && WEXITSTATUS(status) == 74) ++ended;
        ledger.read(victim.text());
        if (mounted) CHECK(::mount("tmpfs", directory.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0);
        look(ledger, data, true);
        const std::string size = "size=" + std::to_string(20 + 8 * round) + "m";
        if (mounted) CHECK(::mount("tmpfs", directory.c_str(), "tmpfs", MS_REMOUNT, size.c_str()) == 0);
    }
    std::printf("the disk was full %d times, %zu writes acknowledged, %d failures\n", ended, ledger.acknowledgements(),
                ledger.failures());
    if (mounted) ::umount(directory.c_str());
    fs::remove_all(directory);
    return ended == 3 && ledger.failures() == 0 && ledger.acknowledgements() != 0 ? 0 : 1;
}

int run(const std::vector<std::string>& arguments) {
    std::string directory = (fs::temp_directory_path() / ("muster-crash-" + std::to_string(::getpid()))).string();
    int cycles = 20;
    std::uint64_t seed = 1;
    bool full_disk = false;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
        if (argument == "--writer") return run_writer({.directory = next, .seed = std::stoull(arguments.at(i + 2))});
        if (argument == "--growing-writer" || argument == "--limited-writer") {
            const rlimit limit{1u << 20, 1u << 20};
            ::signal(SIGXFSZ, SIG_IGN);
            if (argument == "--limited-writer") CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
            return run_writer({.directory = next, .seed = std::stoull(arguments.at(i + 2)), .keys = 1'000'000});
        }
        if (argument == "--dump") return run_dump(next, arguments.at(i + 2) == "orderly");
        if (argument == "--cycles") cycles = std::stoi(next);
        if (argument == "--seed") seed = std::stoull(next);
        if (argument == "--directory") directory = next;
        if (argument == "--full-disk") full_disk = true;
    }
    return full_disk ? run_full_disk(directory) : run_cycles(directory, cycles, seed);
}

}  // namespace crash_test
}  // namespace muster::store

int main(int argc, char** argv) { return muster::store::crash_test::run({argv, argv + argc}); }
