#include "store/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "store/checksum.h"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

Error io_error(const std::string& what, const std::string& path) {
    return {Code::kIo, "cannot " + what + " " + path + ": " + std::strerror(errno)};
}

class File {
public:
    File(const std::string& path, int flags, mode_t mode = 0600)
        : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    bool ok() const { return descriptor_ >= 0; }
    int get() const { return descriptor_; }
    int release() { return std::exchange(descriptor_, -1); }

private:
    int descriptor_;
};

Result<std::string> read_file(const std::string& path) {
    const File file(path, O_RDONLY);
    if (!file.ok()) return io_error("open", path);
    std::string content;
    for (;;) {
        const std::size_t size = content.size();
        content.resize(size + (size < 65536 ? 65536 : size));
        const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
        if (got < 0) return io_error("read", path);
        content.resize(size + static_cast<std::size_t>(got));
        if (got == 0) return content;
    }
}

Result<> sync_directory(const std::string& directory) {
    const File file(directory, O_RDONLY | O_DIRECTORY);
    if (!file.ok() || ::fsync(file.get()) != 0) return io_error("sync", directory);
    return {};
}

// After it returns the file is there whole, also after a power cut; before that the old one, or none.
Result<> write_file(const std::string& directory, const std::string& name, std::string_view content) {
    const std::string path = directory + "/" + name;
    const std::string temporary = path + ".new";
    const File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.ok()) return io_error("create", temporary);
    if (::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()) ||
        ::fsync(file.get()) != 0)
        return io_error("write", temporary);
    if (::rename(temporary.c_str(), path.c_str()) != 0) return io_error("rename", temporary);
    return sync_directory(directory);
}

// The files that hold data, sorted. The small ones that RocksDB cannot check by itself are summed up whole; the blocks
// of tables carry checksums, and all of them are read when a store is opened.
Result<std::string> describe_files(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory + "/db", failure)) {
        const std::string name = entry.path().filename();
        if (name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".sst") || name.ends_with(".log"))
            names.push_back(name);
    }
    if (failure) return Error{Code::kIo, "cannot list " + directory + "/db: " + failure.message()};
    std::sort(names.begin(), names.end());
    std::string lines;
    for (const std::string& name : names) {
        const std::string path = directory + "/db/" + name;
        const auto size = fs::file_size(path, failure);
        if (failure) return Error{Code::kIo, "cannot look at " + path + ": " + failure.message()};
        lines += "db/" + name + " " + std::to_string(size);
        if (!name.ends_with(".sst")) {
            TRY_ASSIGN(const std::string content, read_file(path));
            lines += " " + std::to_string(crc32c(content));
        }
        lines += "\n";
    }
    return lines;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string_view name_in(std::string_view line) { return line.substr(0, line.find(' ')); }

// The first file that differs between two sorted descriptions.
std::string first_difference(std::string_view left_as, std::string_view found_as) {
    const auto left = split_lines(left_as);
    const auto found = split_lines(found_as);
    const auto [one, other] = std::mismatch(left.begin(), left.end(), found.begin(), found.end());
    if (one == left.end()) return std::string(name_in(*other)) + " was not there";
    if (other == found.end() || name_in(*one) < name_in(*other)) return std::string(name_in(*one)) + " is missing";
    if (name_in(*other) < name_in(*one)) return std::string(name_in(*other)) + " was not there";
    return std::string(name_in(*one)) + " was \"" + std::string(*one) + "\", is \"" + std::string(*other) + "\"";
}

constexpr std::string_view kFormatLine = "muster store format ";

struct LogMarks {
    std::uint64_t begun = 0;
    std::uint64_t sealed = 0;
};

// Finds group marks wherever they are, whether or not what lies around them is whole. One that is cut in two by a
// block's edge is missed, which the next one makes good.
LogMarks find_marks(std::string_view log) {
    LogMarks marks;
    for (std::size_t at = log.find(kMarkMagic); at != std::string_view::npos; at = log.find(kMarkMagic, at + 1)) {
        const auto mark = parse_mark(log.substr(at, kMarkSize));
        if (!mark.ok()) continue;
        marks.begun = std::max(marks.begun, mark->group);
        if (mark->sealed) marks.sealed = std::max(marks.sealed, mark->group);
    }
    return marks;
}

}  // namespace

Result<DirectoryLock> DirectoryLock::acquire(const std::string& directory) {
    std::error_code failure;
    if (const auto parent = fs::path(directory).parent_path(); !parent.empty()) fs::create_directories(parent, failure);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return io_error("make", directory);
    const std::string path = directory + "/lock";
    File file(path, O_RDWR | O_CREAT);
    if (!file.ok()) return io_error("open", path);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return io_error("lock", path);
        const auto holder = read_file(path);
        return Error{Code::kUnavailable, directory + " is in use by process " + (holder.ok() ? *holder : "(unknown)")};
    }
    const std::string self = std::to_string(::getpid());
    if (::ftruncate(file.get(), 0) != 0 ||
        ::pwrite(file.get(), self.data(), self.size(), 0) != static_cast<ssize_t>(self.size()))
        return io_error("write", path);
    return DirectoryLock(file.release());
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock::~DirectoryLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<bool> check_format(const std::string& directory) {
    const std::string path = directory + "/format";
    if (!fs::exists(path)) return false;
    TRY_ASSIGN(const std::string content, read_file(path));
    const std::string wanted = std::string(kFormatLine) + std::to_string(kFormatVersion) + "\n";
    if (content == wanted) return true;
    std::string_view found = content;
    if (!found.starts_with(kFormatLine) || !found.ends_with("\n"))
        return Error{Code::kCorrupt, path + " is damaged: it does not name a store format"};
    found.remove_prefix(kFormatLine.size());
    found.remove_suffix(1);
    return Error{Code::kInvalid, path + " names store format " + std::string(found) +
                                     "; this program reads and writes format " + std::to_string(kFormatVersion)};
}

Result<> write_format(const std::string& directory) {
    return write_file(directory, "format", std::string(kFormatLine) + std::to_string(kFormatVersion) + "\n");
}

Result<> write_closed(const std::string& directory) {
    TRY_ASSIGN(std::string content, describe_files(directory));
    content += "end " + std::to_string(crc32c(content)) + "\n";
    return write_file(directory, "closed", content);
}

Result<bool> check_closed(const std::string& directory) {
    const std::string path = directory + "/closed";
    if (!fs::exists(path)) return false;
    TRY_ASSIGN(const std::string content, read_file(path));
    const std::size_t end = content.rfind("end ");
    if (end == std::string::npos ||
        content.substr(end) != "end " + std::to_string(crc32c(content.substr(0, end))) + "\n")
        return Error{Code::kCorrupt, path + " is damaged"};
    TRY_ASSIGN(const std::string found, describe_files(directory));
    if (found == content.substr(0, end)) return true;
    return Error{Code::kCorrupt,
                 directory + " is not as it was left: " + first_difference(content.substr(0, end), found)};
}

Result<> remove_closed(const std::string& directory) {
    const std::string path = directory + "/closed";
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return io_error("remove", path);
    return sync_directory(directory);
}

Result<> check_logs(const std::string& directory, std::uint64_t recovered_group) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory + "/db", failure)) {
        const std::string path = entry.path();
        if (!path.ends_with(".log")) continue;
        TRY_ASSIGN(const std::string log, read_file(path));
        const LogMarks marks = find_marks(log);
        const std::uint64_t durable = std::max(marks.sealed, marks.begun == 0 ? 0 : marks.begun - 1);
        if (recovered_group < durable)
            return Error{Code::kCorrupt, path + " is damaged, or a log before it: group " + std::to_string(durable) +
                                             " was written whole, but only " + std::to_string(recovered_group) +
                                             " groups can be read"};
    }
    if (failure) return Error{Code::kIo, "cannot list " + directory + "/db: " + failure.message()};
    return {};
}

}  // namespace muster::store
