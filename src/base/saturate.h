// Arithmetic of whole numbers that stops at the ends of the type instead of overflowing. Numbers of stored objects may
// have any value: what is calculated with them goes through these functions. Names and meaning are those of C++26.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace muster {

template <std::integral T>
constexpr T add_sat(T left, std::type_identity_t<T> right) {
    T sum = 0;
    if (!__builtin_add_overflow(left, right, &sum)) [[likely]]
        return sum;
    // Only numbers of the same sign overflow.
    return right < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <std::integral T>
constexpr T sub_sat(T left, std::type_identity_t<T> right) {
    T difference = 0;
    if (!__builtin_sub_overflow(left, right, &difference)) [[likely]]
        return difference;
    return left < right ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <std::integral T>
constexpr T mul_sat(T left, std::type_identity_t<T> right) {
    T product = 0;
    if (!__builtin_mul_overflow(left, right, &product)) [[likely]]
        return product;
    return (left < 0) != (right < 0) ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <std::integral To, std::integral From>
constexpr To saturate_cast(From value) {
    if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
}

// The fraction is dropped. What is no number becomes zero.
template <std::integral To>
constexpr To saturate_cast(double value) {
    // Both are powers of two, which a double holds exactly; the highest value itself may not be one.
    constexpr double kBelow = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double kAbove = static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    if (value >= kAbove) return std::numeric_limits<To>::max();
    if (value <= kBelow) return std::numeric_limits<To>::min();
    return value == value ? static_cast<To>(value) : To{};
}

}  // namespace muster
