#include "node/logs/log_cursor.h"

#include <algorithm>
#include <vector>

#include "node/logs/log_file.h"

namespace muster::node {
namespace {

constexpr std::size_t kTailBlock = 256u << 10;

// Where the last lines begin in one piece; nothing when they begin before it.
Result<std::optional<std::uint64_t>> find_tail_in(const os::ReadFile& file, std::size_t& lines, bool& is_last) {
    TRY_ASSIGN(std::uint64_t end, file.size());
    std::string block;
    while (end > 0) {
        const std::uint64_t from = end - std::min<std::uint64_t>(end, kTailBlock);
        block.resize(end - from);
        TRY_ASSIGN(const std::size_t count, file.read_at(from, block));
        std::string_view entries = std::string_view(block).substr(0, count);
        // An entry without its end is being written, or never will be.
        entries = entries.substr(0, entries.rfind('\n') + 1);
        const std::size_t first = from == 0 ? 0 : entries.find('\n') + 1;
        if (const auto at = find_tail(entries.substr(std::min(first, entries.size())), lines, is_last))
            return std::optional(from + first + *at);
        if (!entries.substr(std::min(first, entries.size())).empty()) is_last = false;
        // Of a block without a whole entry nothing can be used.
        end = from == 0 ? 0 : (first > 0 && first < entries.size() ? from + first : from);
    }
    return std::optional<std::uint64_t>();
}

}  // namespace

Result<std::unique_ptr<LogCursor>> LogCursor::open(const std::string& path, const LogSelection& selection) {
    os::LinuxFiles files;
    const std::vector<int> numbers = list_log_pieces(files, path);
    const int first = numbers.empty() ? 0 : numbers.front();
    TRY_ASSIGN(os::ReadFile file, os::ReadFile::open(log_piece(path, first)));
    std::unique_ptr<LogCursor> cursor(new LogCursor(path, selection, first, std::move(file)));
    if (selection.tail_lines) TRY(cursor->seek_tail(*selection.tail_lines));
    return cursor;
}

// From the newest piece back.
Result<> LogCursor::seek_tail(std::size_t lines) {
    std::vector<int> numbers = list_log_pieces(files_, path_);
    bool is_last = true;
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
        auto file = os::ReadFile::open(log_piece(path_, *number));
        if (!file.ok()) break;  // removed meanwhile, with those before it
        number_ = *number;
        file_ = std::move(*file);
        offset_ = 0;
        TRY_ASSIGN(const auto found, find_tail_in(file_, lines, is_last));
        if (!found) continue;
        offset_ = *found;
        break;
    }
    return {};
}

Result<LogCursor::Piece> LogCursor::next() {
    Piece piece;
    TRY_ASSIGN(std::size_t count, read_more());
    if (count == 0 && has_next_piece()) {
        // It may have been written between the two looks; after the next one has begun, it is not.
        TRY_ASSIGN(count, read_more());
        if (count == 0) {
            const std::vector<int> numbers = list_log_pieces(files_, path_);
            const auto after = std::upper_bound(numbers.begin(), numbers.end(), number_);
            if (after != numbers.end()) {
                TRY_ASSIGN(file_, os::ReadFile::open(log_piece(path_, *after)));
                number_ = *after;
                offset_ = 0;
                return piece;
            }
        }
    }
    piece.text = text_.add(std::string_view(buffer_).substr(0, count));
    piece.full = text_.full();
    piece.at_end = count == 0;
    return piece;
}

Result<std::size_t> LogCursor::read_more() {
    buffer_.resize(kReadBytes);
    TRY_ASSIGN(const std::size_t count, file_.read_at(offset_, buffer_));
    offset_ += count;
    // Thousands may wait at a log's end.
    if (count == 0) std::string().swap(buffer_);
    return count;
}

// The next number, or, when we are so late that our piece and maybe that one are gone, any later one.
bool LogCursor::has_next_piece() {
    if (files_.size(log_piece(path_, number_ + 1)).ok()) return true;
    if (!file_.nameless()) return false;
    const std::vector<int> numbers = list_log_pieces(files_, path_);
    return !numbers.empty() && numbers.back() > number_;
}

std::string read_log_tail(const std::string& path, std::size_t lines, std::size_t bytes_max) {
    LogSelection selection;
    selection.tail_lines = lines;
    const auto cursor = LogCursor::open(path, selection);
    std::string text;
    for (bool more = cursor.ok(); more;) {
        const auto piece = (*cursor)->next();
        more = piece.ok() && !piece->at_end;
        if (piece.ok()) text += piece->text;
        if (text.size() > bytes_max) text.erase(0, text.size() - bytes_max);
    }
    return text;
}

}  // namespace muster::node
