// The selector language of ?labelSelector= and what it compiles to: a list of demands on labels, all of which must
// hold. The API's own selector struct (matchLabels, matchExpressions) becomes one of these as well.
// Invariant: requirements are valid, and sorted by key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/map.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::api {

namespace meta {
struct LabelSelector;
}

class LabelSelector {
public:
    enum class Op : std::uint8_t {
        kIn,            // a in (x,y)
        kNotIn,         // a notin (x,y); holds also without the label
        kEquals,        // a=x
        kDoubleEquals,  // a==x
        kNotEquals,     // a!=x; holds also without the label
        kExists,        // a
        kDoesNotExist,  // !a
        kGreaterThan,   // a>3
        kLessThan,      // a<3
    };
    struct Requirement {
        Text key;
        Op op = Op::kExists;
        std::vector<Text> values;  // sorted
        std::int64_t bound = 0;    // of kGreaterThan and kLessThan
        bool operator==(const Requirement&) const = default;
    };
    static constexpr std::size_t kTextMax = 64 * 1024;
    static constexpr std::size_t kRequirementsMax = 1000;

    // Selects everything.
    LabelSelector() = default;
    static LabelSelector nothing();
    // "a=b,c!=d,e in (x,y),f notin (z),g,!h,i>3,j<7". Fails with kBadRequest and Kubernetes' sentence.
    static Result<LabelSelector> parse(std::string_view text);
    // As everywhere in the API, no selector (null) selects nothing and an empty one everything. Fails with kInvalid.
    static Result<LabelSelector> from(const meta::LabelSelector* selector);
    // In, NotIn, Exists or DoesNotExist.
    static Result<Op> parse_op(std::string_view word);

    // One more demand. Fails with kInvalid when key, operator and values do not go together; nothing is added then.
    Result<> add(std::string_view key, Op op, std::span<const Text> values);

    bool matches(const Map<Text>& labels) const;
    bool is_everything() const { return !nothing_ && requirements_.empty(); }
    bool is_nothing() const { return nothing_; }
    const std::vector<Requirement>& requirements() const { return requirements_; }
    // The one value that the label must have, when there is one: what an index can be asked for.
    std::optional<Text> exact_value(std::string_view key) const;
    std::string text() const;

    bool operator==(const LabelSelector&) const = default;

private:
    std::vector<Requirement> requirements_;
    bool nothing_ = false;
};

}  // namespace muster::api
