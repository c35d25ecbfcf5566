// Amounts of a resource as whole numbers: thousandths of a core, bytes, pieces. Sums stop at the ends of 64 bits, so
// that quotas written as "as much as there is" never turn negative.
#pragma once

#include <cstdint>
#include <limits>

namespace muster::controllers::queue {

using Amount = std::int64_t;
inline constexpr Amount kUnlimited = std::numeric_limits<Amount>::max();

// What is unlimited stays so, whatever is added or taken.
constexpr Amount plus(Amount left, Amount right) {
    if (left == kUnlimited || right == kUnlimited) return kUnlimited;
    Amount sum = 0;
    if (!__builtin_add_overflow(left, right, &sum)) return sum;
    return left > 0 ? kUnlimited : std::numeric_limits<Amount>::min();
}
constexpr Amount minus(Amount left, Amount right) {
    if (left == kUnlimited) return kUnlimited;
    Amount difference = 0;
    if (!__builtin_sub_overflow(left, right, &difference)) return difference;
    return left > 0 ? kUnlimited : std::numeric_limits<Amount>::min();
}
constexpr Amount times(Amount amount, std::int64_t factor) {
    Amount product = 0;
    if (!__builtin_mul_overflow(amount, factor, &product)) return product;
    return (amount > 0) == (factor > 0) ? kUnlimited : std::numeric_limits<Amount>::min();
}

}  // namespace muster::controllers::queue
