#include "os/files/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/check.h"
#include "os/errno_error.h"

namespace muster::os {
namespace {

constexpr std::uint64_t kReadBlock = 4096;  // what readers read at a time
constexpr std::uint64_t kUnit = 32;         // places are multiples of it, so that they can be used again
constexpr Duration kRest = 60s;
constexpr char kStruck = '#';
// Lines of ours come after it.
constexpr std::string_view kMark = "# Kept by muster:";

std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) { return (size + unit - 1) / unit * unit; }

// As long as its place, whose last byte is the line's end.
std::string padded(std::string_view line, std::uint64_t size) {
    std::string out(line);
    out.resize(size - 1, ' ');
    return out += '\n';
}
std::string struck(std::string line) {
    line.front() = kStruck;
    return line;
}

Result<std::string> read_whole_file(int file, const std::string& path) {
    struct stat info {};
    if (::fstat(file, &info) != 0) return errno_error(errno, "read", path);
    std::string content(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t at = 0;
    while (at < content.size()) {
        const ssize_t count = ::pread(file, content.data() + at, content.size() - at, static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "read", path);
        if (count == 0) break;
        at += static_cast<std::size_t>(count);
    }
    content.resize(at);
    return content;
}

}  // namespace

Result<LineFile> LineFile::open(const std::string& path, std::string_view header, Instant now) {
    Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!descriptor) return errno_error(errno, "open", path);
    // Pods of other users read it, too.
    if (::fchmod(descriptor.number(), 0644) != 0) return errno_error(errno, "change the mode of", path);
    LineFile file(path, std::move(descriptor));
    TRY_ASSIGN(const std::string content, read_whole_file(file.file_.number(), path));
    // Without the mark the file is new or was not completed, and no pod uses it yet.
    if (content.find(kMark) == std::string::npos)
        TRY(file.begin(header));
    else
        TRY(file.take_over(content, now));
    return file;
}

Result<> LineFile::begin(std::string_view header) {
    std::string text(header);
    if (!text.empty() && text.back() != '\n') text += '\n';
    const std::uint64_t begin = text.size();
    text += padded(kMark, round_up(begin + kMark.size() + 1, kUnit) - begin);
    if (::ftruncate(file_.number(), 0) != 0) return errno_error(errno, "empty", path_);
    TRY(write_at(0, text));
    end_ = text.size();
    return {};
}

Result<> LineFile::take_over(const std::string& content, Instant now) {
    std::size_t at = content.find('\n', content.find(kMark));
    at = at == std::string::npos ? content.size() : at + 1;
    while (at < content.size()) {
        const std::size_t line_end = content.find('\n', at);
        if (line_end == std::string::npos) break;
        const auto size = static_cast<std::uint32_t>(line_end + 1 - at);
        std::string line = content.substr(at, content.find_last_not_of(' ', line_end - 1) + 1 - at);
        if (line.empty() || line.front() == kStruck || !places_.emplace(std::move(line), Place{at, size}).second)
            free_[size].push_back({at, now});
        at = line_end + 1;
    }
    end_ = content.size();
    // A place whose writing broke off becomes a comment; its line must end before the next begins.
    if (at < content.size()) TRY(write_at(at, std::string_view(&kStruck, 1)));
    const std::uint64_t whole = round_up(std::max<std::uint64_t>(end_, 1), kUnit);
    if (at < content.size() || whole != end_) {
        const std::uint64_t rest = whole == end_ ? kUnit : whole - end_;
        TRY(write_at(end_, padded("", rest)));
        end_ += rest;
    }
    return {};
}

Result<> LineFile::write_at(std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "write", path_);
        offset += static_cast<std::uint64_t>(count);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

std::vector<std::string> LineFile::lines() const {
    std::vector<std::string> out;
    out.reserve(places_.size());
    for (const auto& [line, place] : places_) out.push_back(line);
    return out;
}

Result<bool> LineFile::reuse(const std::string& line, std::uint32_t size, Instant now) {
    const auto found = free_.find(size);
    if (found == free_.end() || found->second.empty() || now - found->second.front().at < kRest) return false;
    const std::uint64_t offset = found->second.front().offset;
    found->second.pop_front();
    TRY(write_at(offset + 1, std::string_view(padded(line, size)).substr(1)));
    TRY(write_at(offset, std::string_view(line).substr(0, 1)));
    places_.emplace(line, Place{offset, size});
    return true;
}

Result<> LineFile::add(const std::vector<std::string>& come, Instant now) {
    std::string tail;  // goes to the end in one write
    for (const std::string& line : come) {
        CHECK(!line.empty() && line.front() != kStruck && line.front() != ' ' && line.size() < kReadBlock);
        if (places_.contains(line)) continue;
        const auto size = static_cast<std::uint32_t>(round_up(line.size() + 1, kUnit));
        TRY_ASSIGN(const bool reused, reuse(line, size, now));
        if (reused) continue;
        std::uint64_t offset = end_ + tail.size();
        if (const std::uint64_t left = kReadBlock - offset % kReadBlock; left < size) {
            tail += struck(padded(" ", left));
            free_[static_cast<std::uint32_t>(left)].push_back({offset, now});
            offset += left;
        }
        tail += padded(line, size);
        places_.emplace(line, Place{offset, size});
    }
    TRY(write_at(end_, tail));
    end_ += tail.size();
    return {};
}

Result<> LineFile::change(const std::vector<std::string>& come, const std::vector<std::string>& gone, Instant now) {
    TRY(add(come, now));
    std::map<std::uint64_t, std::string> strikes;  // by place
    for (const std::string& line : gone) {
        const auto found = places_.find(line);
        if (found == places_.end()) continue;
        const Place place = found->second;
        places_.erase(found);
        free_[place.size].push_back({place.offset, now});
        strikes.emplace(place.offset, struck(padded(line, place.size)));
    }
    // Those that stand one behind the other are struck in one write: pods that come together often go together.
    for (auto first = strikes.begin(); first != strikes.end();) {
        std::string text = std::move(first->second);
        auto next = std::next(first);
        while (next != strikes.end() && next->first == first->first + text.size()) text += (next++)->second;
        // All of a single line but its first character stays.
        const bool single = std::next(first) == next;
        TRY(write_at(first->first, single ? std::string_view(text).substr(0, 1) : std::string_view(text)));
        first = next;
    }
    return {};
}

}  // namespace muster::os
