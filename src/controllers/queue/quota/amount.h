// Amounts of a resource as whole numbers: thousandths of a core, bytes, pieces. Sums stop at the ends of 64 bits, so
// that quotas written as "as much as there is" never turn negative.
#pragma once

#include <cstdint>
#include <limits>

#include "base/saturate.h"

namespace muster::controllers::queue {

using Amount = std::int64_t;
inline constexpr Amount kUnlimited = std::numeric_limits<Amount>::max();

// What is unlimited stays so, whatever is added or taken.
constexpr Amount plus(Amount left, Amount right) {
    return left == kUnlimited || right == kUnlimited ? kUnlimited : add_sat(left, right);
}
constexpr Amount minus(Amount left, Amount right) { return left == kUnlimited ? kUnlimited : sub_sat(left, right); }
constexpr Amount times(Amount amount, std::int64_t factor) { return mul_sat(amount, factor); }

}  // namespace muster::controllers::queue
