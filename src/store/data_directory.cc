#include "store/data_directory.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "os/files/files.h"
#include "store/checksum.h"

namespace muster::store {
namespace {

constexpr std::size_t kFileSizeMax = std::size_t{1} << 40;  // of a log, in truth far less

// A MANIFEST is written before there is anything that it could tell of.
bool holds_data(const std::string& name) {
    return name == "CURRENT" || name.ends_with(".log") || name.ends_with(".sst");
}

// The files that hold data, sorted. The small ones that RocksDB cannot check by itself are summed up whole; the blocks
// of tables carry checksums, and all of them are read when a store is opened.
Result<std::string> describe_files(const std::string& directory) {
    os::LinuxFiles files;
    std::string lines;
    TRY_ASSIGN(const std::vector<std::string> names, files.list(directory + "/db"));
    for (const std::string& name : names) {
        const bool is_table = name.ends_with(".sst");
        if (!holds_data(name) && !name.starts_with("MANIFEST-")) continue;
        const std::string path = directory + "/db/" + name;
        TRY_ASSIGN(const std::uint64_t size, files.size(path));
        lines += "db/" + name + " " + std::to_string(size);
        if (!is_table) {
            TRY_ASSIGN(const std::string content, files.read(path, kFileSizeMax));
            lines += " " + std::to_string(crc32c(content));
        }
        lines += "\n";
    }
    return lines;
}

// Nothing when there is no such file.
Result<std::optional<std::string>> read_if_there(const std::string& path) {
    auto content = os::LinuxFiles().read(path, kFileSizeMax);
    if (!content.ok() && content.error().code == Code::kNotFound) return std::optional<std::string>();
    TRY(content);
    return std::optional(std::move(*content));
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
constexpr std::string_view kUnfinishedLine = "muster backup, not finished\n";

// Finds group marks wherever they are, whether or not what lies around them is whole. One that is cut in two by a
// block's edge is missed, which the next one makes good.
void find_marks(std::string_view log, const std::string& path, LogMarks& marks) {
    for (std::size_t at = log.find(kMarkMagic); at != std::string_view::npos; at = log.find(kMarkMagic, at + 1)) {
        const auto mark = parse_mark(log.substr(at, kMarkSize));
        if (!mark.ok()) continue;
        const std::uint64_t durable = mark->sealed || mark->group == 0 ? mark->group : mark->group - 1;
        if (durable > marks.durable_group) {
            marks.durable_group = durable;
            marks.path = path;
        }
        marks.group = std::max(marks.group, mark->group);
        marks.revision = std::max(marks.revision, mark->revision);
    }
}

}  // namespace

Result<DirectoryLock> lock_directory(const std::string& directory) {
    os::LinuxFiles files;
    TRY(files.create_directories(directory, os::Access::kOnlyUs));
    return files.lock(directory + "/lock");
}

Result<bool> check_format(const std::string& directory) {
    const std::string path = directory + "/format";
    TRY_ASSIGN(const std::optional<std::string> content, read_if_there(path));
    if (!content) return false;
    if (*content == format_line() + "\n") return true;
    if (*content == kUnfinishedLine)
        return Error{Code::kCorrupt, directory + " is a backup that was not finished; remove it"};
    std::string_view found = *content;
    const bool whole = found.starts_with(kFormatLine) && found.ends_with("\n");
    if (whole) found = found.substr(kFormatLine.size(), found.size() - kFormatLine.size() - 1);
    if (!whole || found.empty() || found.find_first_not_of("0123456789") != std::string_view::npos)
        return Error{Code::kCorrupt, path + (content->empty() ? " is empty" : " is damaged") +
                                         ": it does not name a store format; if nothing else is damaged, replace its "
                                         "content by the line \"" +
                                         format_line() + "\""};
    const std::string own = std::to_string(kFormatVersion);
    const bool later = found.size() != own.size() ? found.size() > own.size() : found > own;
    return Error{Code::kInvalid, path + " names store format " + std::string(found) +
                                     "; this program reads and writes format " + own + ": " +
                                     (later ? "a later version of muster wrote the directory; use that version, or "
                                              "restore a backup of this version"
                                            : "use a muster of that format, or restore a backup")};
}

Result<> write_format(const std::string& directory) {
    return os::LinuxFiles().replace(directory + "/format", format_line() + "\n", os::Access::kOnlyUs);
}

Result<> write_unfinished(const std::string& directory) {
    return os::LinuxFiles().replace(directory + "/format", kUnfinishedLine, os::Access::kOnlyUs);
}

std::string format_line() { return std::string(kFormatLine) + std::to_string(kFormatVersion); }

bool has_data(const std::string& directory) {
    const auto names = os::LinuxFiles().list(directory + "/db");
    return names.ok() && std::any_of(names->begin(), names->end(), holds_data);
}

Result<> write_closed(const std::string& directory) {
    TRY_ASSIGN(std::string content, describe_files(directory));
    content += "end " + std::to_string(crc32c(content)) + "\n";
    return os::LinuxFiles().replace(directory + "/closed", content, os::Access::kOnlyUs);
}

Result<bool> check_closed(const std::string& directory) {
    const std::string path = directory + "/closed";
    TRY_ASSIGN(const std::optional<std::string> content, read_if_there(path));
    if (!content) return false;
    const std::size_t end = content->rfind("end ");
    if (end == std::string::npos ||
        content->substr(end) != "end " + std::to_string(crc32c(content->substr(0, end))) + "\n")
        return Error{Code::kCorrupt, path + (content->empty() ? " is empty" : " is damaged") +
                                         "; remove it, and the store is checked as after a crash"};
    TRY_ASSIGN(const std::string found, describe_files(directory));
    if (found == content->substr(0, end)) return true;
    return Error{Code::kCorrupt,
                 directory + " is not as it was left: " + first_difference(content->substr(0, end), found) +
                     "; restore a backup, or remove " + path + ", and the store is checked as after a crash"};
}

Result<> remove_closed(const std::string& directory) { return os::LinuxFiles().remove(directory + "/closed"); }

Result<LogMarks> find_log_marks(const std::string& directory) {
    os::LinuxFiles files;
    LogMarks marks;
    if (!has_data(directory)) return marks;
    TRY_ASSIGN(const std::vector<std::string> names, files.list(directory + "/db"));
    for (const std::string& name : names) {
        if (!name.ends_with(".log")) continue;
        const std::string path = directory + "/db/" + name;
        TRY_ASSIGN(const std::string log, files.read(path, kFileSizeMax));
        find_marks(log, path, marks);
    }
    return marks;
}

}  // namespace muster::store
