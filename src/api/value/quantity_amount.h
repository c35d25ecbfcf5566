// The amount of a Quantity at any size: what its arithmetic falls back to when 64 bits do not hold it. Rare, so plain:
// decimal digits, in which scaling by powers of ten (all that quantities do) is adding or cutting zeros.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "api/value/quantity.h"

namespace muster::api {

__extension__ using Wide = __int128;  // products of two 64-bit numbers fit

inline constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

// ±digits * 10^exponent. No leading zeros; zero has no digits and no sign.
struct QuantityAmount {
    bool negative = false;
    std::string digits;
    int exponent = 0;

    static QuantityAmount of(const Quantity& quantity);
    static QuantityAmount of(Wide mantissa, int exponent);
    static QuantityAmount of_digits(bool negative, std::string_view digits, int exponent);

    Quantity quantity(Quantity::Format format) const;
    // Kept small, as 64 bits hold it; `written` is the text to print in place of the canonical one, or empty.
    static Quantity small(std::int64_t mantissa, int exponent, Quantity::Format format, std::string_view written);

    bool is_zero() const { return digits.empty(); }
    std::optional<std::int64_t> mantissa() const;  // when it fits
    void lower_exponent(int to);                   // the same amount
    // Cuts digits so that the exponent is at least `to`, rounding away from zero. Gives false when some were lost.
    bool raise_exponent_up(int to);

    void add(QuantityAmount other);
    void multiply(std::uint64_t factor);
    // The remainder; the digits become the quotient.
    std::uint32_t divide(std::uint32_t divisor);
    std::strong_ordering compare(QuantityAmount other) const;
};

}  // namespace muster::api
