#include "node/logs/log_file.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::node {
namespace {

// The number of the piece with that file name, if it is one of the log's.
std::optional<int> piece_number(std::string_view name, std::string_view log_name) {
    if (!name.starts_with(log_name)) return {};
    name.remove_prefix(log_name.size());
    if (name.empty()) return 0;
    if (name.front() != '.') return {};
    name.remove_prefix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number < 1) return {};
    return number;
}

}  // namespace

std::string log_piece(const std::string& path, int number) {
    return number == 0 ? path : path + '.' + std::to_string(number);
}

std::vector<int> list_log_pieces(os::Files& files, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    std::vector<int> numbers;
    const auto names = files.list(path.substr(0, slash));
    if (!names.ok()) return numbers;
    for (const std::string& name : *names)
        if (const auto number = piece_number(name, std::string_view(path).substr(slash + 1)))
            numbers.push_back(*number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

void remove_log(os::Files& files, const std::string& path) {
    for (const int number : list_log_pieces(files, path)) (void)files.remove(log_piece(path, number)).ok();
}

Result<LogFile> LogFile::create(os::Files& files, const std::string& path, const LogLimits& limits) {
    TRY_ASSIGN(os::RecordFile piece, os::RecordFile::open(path));
    return LogFile(files, path, limits, 0, 0, std::move(piece));
}

Result<LogFile> LogFile::reopen(os::Files& files, const std::string& path, const LogLimits& limits) {
    const std::vector<int> numbers = list_log_pieces(files, path);
    const int number = numbers.empty() ? 0 : numbers.back();
    TRY_ASSIGN(os::RecordFile piece, os::RecordFile::open(log_piece(path, number)));
    TRY_ASSIGN(const std::uint64_t size, files.size(log_piece(path, number)));
    return LogFile(files, path, limits, number, static_cast<std::int64_t>(size), std::move(piece));
}

void LogFile::append(std::string_view entries) {
    while (!entries.empty()) {
        if (size_ > 0 &&
            size_ + static_cast<std::int64_t>(std::min(entries.find('\n') + 1, entries.size())) > limits_->size_max)
            begin_next_piece();
        // As many entries as fit, and one in any case.
        const std::size_t room = static_cast<std::size_t>(std::max<std::int64_t>(limits_->size_max - size_, 1));
        std::size_t count = entries.size();
        if (count > room) {
            const std::size_t fits = entries.substr(0, room).rfind('\n');
            count = (fits != std::string_view::npos ? fits : std::min(entries.find('\n'), count - 1)) + 1;
        }
        (void)piece_.append(entries.substr(0, count)).ok();
        size_ += static_cast<std::int64_t>(count);
        entries.remove_prefix(count);
    }
}

// When there can be no next one, the old one grows.
void LogFile::begin_next_piece() {
    auto next = os::RecordFile::open(log_piece(path_, number_ + 1));
    if (!next.ok()) return;
    piece_ = std::move(*next);
    ++number_;
    size_ = 0;
    for (const int number : list_log_pieces(*files_, path_))
        if (number + limits_->files_max <= number_) (void)files_->remove(log_piece(path_, number)).ok();
}

}  // namespace muster::node
