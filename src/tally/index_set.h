// A set of completion indexes that grows while a Job runs: which are done, which have failed for good, which are taken.
// Sorted ranges, since neighbours finish together: a hundred thousand indexes are usually a handful of ranges. Grammar
// and invariant are those of api::IndexRanges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/value/index_ranges.h"

namespace muster::tally {

class IndexSet {
public:
    IndexSet() = default;
    explicit IndexSet(api::IndexRanges ranges) : ranges_(std::move(ranges)) {}
    // Indexes from `completions` on are dropped, as after scaling down; what cannot be read is skipped. Total.
    static IndexSet parse(std::string_view text, std::int32_t completions) {
        return IndexSet(api::IndexRanges::parse_stored(text, completions));
    }
    // In any order, repeats allowed. Negative ones are dropped.
    static IndexSet of(std::vector<std::int32_t> indexes);

    // O(ranges of both).
    void add(const IndexSet& others);
    void add(std::vector<std::int32_t> indexes) { add(of(std::move(indexes))); }

    // Those that are not in `others`. O(ranges of both).
    IndexSet without(const IndexSet& others) const;

    bool empty() const { return ranges_.empty(); }
    std::int64_t size() const { return ranges_.count(); }
    bool contains(std::int32_t index) const { return ranges_.contains(index); }
    // How many are in both. O(ranges of both).
    std::int64_t count_common(const IndexSet& others) const;
    // The lowest `count` indexes below `bound` that are not in the set, fewer when there are no more. O(ranges +
    // count).
    std::vector<std::int32_t> first_missing(std::int32_t bound, std::size_t count) const;
    // The index before which `count` others are not in the set, and which is not in it either. O(ranges).
    std::int64_t missing_after(std::int32_t count) const;
    // "1,3-5,7"
    std::string text() const { return ranges_.text(); }

    bool operator==(const IndexSet&) const = default;

private:
    api::IndexRanges ranges_;
};

}  // namespace muster::tally
