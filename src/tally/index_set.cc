#include "tally/index_set.h"

#include <algorithm>

#include "base/check.h"

namespace muster::tally {

using api::IndexRange;

IndexSet IndexSet::of(std::vector<std::int32_t> indexes) {
    std::sort(indexes.begin(), indexes.end());
    api::IndexRanges ranges;
    for (const std::int32_t index : indexes) ranges.append({index, index});  // refuses repeats and what is negative
    return IndexSet(std::move(ranges));
}

void IndexSet::add(const IndexSet& others) {
    if (others.empty()) return;
    const std::vector<IndexRange>& mine = ranges_.ranges();
    const std::vector<IndexRange>& theirs = others.ranges_.ranges();
    api::IndexRanges merged;
    std::int64_t end = -1;  // last index in merged
    auto take = [&](const IndexRange& range) {
        if (range.last <= end) return;
        CHECK(merged.append({static_cast<std::int32_t>(std::max<std::int64_t>(range.first, end + 1)), range.last}));
        end = range.last;
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < mine.size() || j < theirs.size()) {
        const bool take_mine = j == theirs.size() || (i < mine.size() && mine[i].first < theirs[j].first);
        take(take_mine ? mine[i++] : theirs[j++]);
    }
    CHECK(merged.ranges().size() <= mine.size() + theirs.size());
    ranges_ = std::move(merged);
}

IndexSet IndexSet::without(const IndexSet& others) const {
    api::IndexRanges left;
    auto theirs = others.ranges_.ranges().begin();
    const auto their_end = others.ranges_.ranges().end();
    for (const IndexRange& range : ranges_.ranges()) {
        std::int64_t first = range.first;
        while (theirs != their_end && theirs->last < first) ++theirs;
        for (auto hole = theirs; hole != their_end && hole->first <= range.last && first <= range.last; ++hole) {
            if (first < hole->first) CHECK(left.append({static_cast<std::int32_t>(first), hole->first - 1}));
            first = std::int64_t{hole->last} + 1;
            theirs = hole;
        }
        if (first <= range.last) CHECK(left.append({static_cast<std::int32_t>(first), range.last}));
    }
    return IndexSet(std::move(left));
}

std::int64_t IndexSet::count_common(const IndexSet& others) const {
    auto mine = ranges_.ranges().begin();
    auto theirs = others.ranges_.ranges().begin();
    std::int64_t common = 0;
    while (mine != ranges_.ranges().end() && theirs != others.ranges_.ranges().end()) {
        const std::int64_t first = std::max(mine->first, theirs->first);
        const std::int64_t last = std::min(mine->last, theirs->last);
        if (first <= last) common += last - first + 1;
        if (mine->last < theirs->last) {
            ++mine;
        } else {
            ++theirs;
        }
    }
    return common;
}

std::vector<std::int32_t> IndexSet::first_missing(std::int32_t bound, std::size_t count) const {
    std::vector<std::int32_t> missing;
    std::int64_t candidate = 0;
    auto take_below = [&](std::int64_t end) {
        for (; candidate < end && missing.size() < count; ++candidate)
            missing.push_back(static_cast<std::int32_t>(candidate));
    };
    for (const IndexRange& range : ranges_.ranges()) {
        if (missing.size() == count || range.first >= bound) break;
        take_below(range.first);
        candidate = std::int64_t{range.last} + 1;
    }
    take_below(bound);
    CHECK(missing.size() <= count && (missing.empty() || missing.back() < bound));
    return missing;
}

std::int64_t IndexSet::missing_after(std::int32_t count) const {
    CHECK(count >= 0);
    std::int64_t index = count;
    for (const IndexRange& range : ranges_.ranges()) {
        if (range.first > index) break;
        index += std::int64_t{range.last} - range.first + 1;
    }
    return index;
}

}  // namespace muster::tally
