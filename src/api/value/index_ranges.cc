#include "api/value/index_ranges.h"

#include <algorithm>
#include <charconv>

#include "api/value/quote.h"

namespace muster::api {
namespace {

// Calls use(piece) for each part of "a,b,c"; one empty piece for "".
template <class Use>
void for_each_piece(std::string_view text, char separator, Use use) {
    for (;;) {
        const std::size_t end = text.find(separator);
        use(text.substr(0, end));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::int64_t> parse_index(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t index = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (problem != std::errc{} || end != text.data() + text.size() || index < 0) return std::nullopt;
    return index;
}

Error bad_index(std::string sentence) { return {Code::kInvalid, std::move(sentence)}; }

Error not_increasing(std::int64_t previous, std::int64_t current) {
    return bad_index("non-increasing order, previous: " + std::to_string(previous) +
                     ", current: " + std::to_string(current));
}

Result<std::int32_t> parse_bounded(std::string_view text, std::int32_t completions) {
    const auto index = parse_index(text);
    if (!index) return bad_index("cannot convert string to integer for index: " + in_quotes(text));
    if (*index >= completions) return bad_index("too large index: " + in_quotes(text));
    return static_cast<std::int32_t>(*index);
}

Result<IndexRange> parse_range(std::string_view piece, std::int32_t completions) {
    if (std::count(piece.begin(), piece.end(), '-') > 1) {
        return bad_index(
            "the fragment " + in_quotes(piece) +
            " violates the requirement that an index interval can have at most two parts separated by '-'");
    }
    const std::size_t dash = piece.find('-');
    TRY_ASSIGN(const std::int32_t first, parse_bounded(piece.substr(0, dash), completions));
    if (dash == std::string_view::npos) return IndexRange{first, first};
    TRY_ASSIGN(const std::int32_t last, parse_bounded(piece.substr(dash + 1), completions));
    if (first >= last) return not_increasing(first, last);
    return IndexRange{first, last};
}

}  // namespace

Result<IndexRanges> IndexRanges::parse(std::string_view text, std::int32_t completions) {
    IndexRanges parsed;
    if (text.empty()) return parsed;
    std::optional<Error> wrong;
    for_each_piece(text, ',', [&](std::string_view piece) {
        if (wrong) return;
        const Result<IndexRange> range = parse_range(piece, completions);
        if (!range.ok()) {
            wrong = range.error();
        } else if (!parsed.append(*range)) {
            wrong = not_increasing(parsed.ranges_.back().last, range->first);
        }
    });
    if (wrong) return *wrong;
    return parsed;
}

IndexRanges IndexRanges::parse_stored(std::string_view text, std::int32_t completions) {
    IndexRanges parsed;
    for_each_piece(text, ',', [&](std::string_view piece) {
        const std::size_t dash = piece.find('-');
        const auto first = parse_index(piece.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_index(piece.substr(dash + 1));
        if (!first || !last || *first > *last || *first >= completions) return;
        parsed.append({static_cast<std::int32_t>(*first),
                       static_cast<std::int32_t>(std::min<std::int64_t>(*last, completions - 1))});
    });
    return parsed;
}

bool IndexRanges::append(IndexRange range) {
    if (range.first > range.last || range.first < 0) return false;
    if (ranges_.empty()) {
        ranges_.push_back(range);
        return true;
    }
    IndexRange& before = ranges_.back();
    if (range.first <= before.last) return false;
    if (range.first - 1 == before.last) {
        before.last = range.last;
    } else {
        ranges_.push_back(range);
    }
    return true;
}

std::int64_t IndexRanges::count() const {
    std::int64_t total = 0;
    for (const IndexRange& range : ranges_) total += std::int64_t{range.last} - range.first + 1;
    return total;
}

bool IndexRanges::contains(std::int32_t index) const {
    const auto at = std::lower_bound(ranges_.begin(), ranges_.end(), index,
                                     [](const IndexRange& range, std::int32_t i) { return range.last < i; });
    return at != ranges_.end() && at->first <= index;
}

std::optional<std::int32_t> IndexRanges::first_common(const IndexRanges& other) const {
    auto mine = ranges_.begin();
    auto theirs = other.ranges_.begin();
    while (mine != ranges_.end() && theirs != other.ranges_.end()) {
        if (mine->first <= theirs->last && theirs->first <= mine->last) return std::max(mine->first, theirs->first);
        if (mine->last < theirs->first) {
            ++mine;
        } else {
            ++theirs;
        }
    }
    return std::nullopt;
}

std::string IndexRanges::text() const {
    std::string out;
    for (const IndexRange& range : ranges_) {
        if (!out.empty()) out += ',';
        out += std::to_string(range.first);
        if (range.first == range.last) continue;
        out += range.first + 1 == range.last ? ',' : '-';
        out += std::to_string(range.last);
    }
    return out;
}

}  // namespace muster::api
