// Sets of completion indexes as the API writes them: "1,3-5,7". Status and success policy of an indexed Job carry them;
// counting reads and prints them here too, so that there is one grammar.
// Invariant: ranges are sorted, none touches the next, and every index is at least 0 and below the completions given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::api {

struct IndexRange {
    std::int32_t first = 0;
    std::int32_t last = 0;  // inclusive
    bool operator==(const IndexRange&) const = default;
};

class IndexRanges {
public:
    IndexRanges() = default;

    // Every piece well formed, strictly increasing, below completions; the empty text is the empty set. Fails with
    // kInvalid and the API's sentence.
    static Result<IndexRanges> parse(std::string_view text, std::int32_t completions);
    // What a status once written still says: indexes from completions on are dropped, as after scaling down, and pieces
    // that cannot be read or go backwards are skipped. Total.
    static IndexRanges parse_stored(std::string_view text, std::int32_t completions);

    // Adds what lies after the last index; false, and nothing is added, when it does not.
    bool append(IndexRange range);

    bool empty() const { return ranges_.empty(); }
    std::int64_t count() const;
    bool contains(std::int32_t index) const;
    // The lowest index that is in both.
    std::optional<std::int32_t> first_common(const IndexRanges& other) const;
    const std::vector<IndexRange>& ranges() const { return ranges_; }
    // Three or more in a row print as a range, two as two: "1,3-5,7,8".
    std::string text() const;

    bool operator==(const IndexRanges&) const = default;

private:
    std::vector<IndexRange> ranges_;
};

}  // namespace muster::api
