#include "api/value/quantity_amount.h"

#include <algorithm>
#include <charconv>

namespace muster::api {
namespace {

int digit_at(const std::string& digits, std::size_t from_right) {
    return from_right < digits.size() ? digits[digits.size() - 1 - from_right] - '0' : 0;
}

void strip_leading_zeros(std::string& digits) {
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

std::strong_ordering compare_digits(const std::string& left, const std::string& right) {
    if (left.size() != right.size()) return left.size() <=> right.size();
    return left.compare(right) <=> 0;
}

std::string sum(const std::string& left, const std::string& right) {
    std::string out(std::max(left.size(), right.size()) + 1, '0');
    int carry = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const int digit = digit_at(left, i) + digit_at(right, i) + carry;
        out[out.size() - 1 - i] = static_cast<char>('0' + digit % 10);
        carry = digit / 10;
    }
    strip_leading_zeros(out);
    return out;
}

// The left must not be the smaller.
std::string difference(const std::string& left, const std::string& right) {
    std::string out = left;
    int borrow = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const int digit = digit_at(left, i) - digit_at(right, i) - borrow;
        borrow = digit < 0 ? 1 : 0;
        out[out.size() - 1 - i] = static_cast<char>('0' + digit + 10 * borrow);
    }
    strip_leading_zeros(out);
    return out;
}

}  // namespace

QuantityAmount QuantityAmount::of_digits(bool negative, std::string_view digits, int exponent) {
    QuantityAmount made{negative, std::string(digits), exponent};
    strip_leading_zeros(made.digits);
    if (made.is_zero()) made.negative = false;
    return made;
}

QuantityAmount QuantityAmount::of(Wide mantissa, int exponent) {
    std::string reversed;
    for (Wide rest = mantissa; rest != 0; rest /= 10) {
        const int digit = static_cast<int>(rest % 10);
        reversed.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    }
    std::reverse(reversed.begin(), reversed.end());
    return {mantissa < 0, std::move(reversed), exponent};
}

QuantityAmount QuantityAmount::of(const Quantity& quantity) {
    if (!quantity.big_) return of(quantity.mantissa_, quantity.exponent_);
    const std::string_view text = quantity.digits_;
    const bool negative = text.front() == '-';
    return {negative, std::string(text.substr(negative ? 1 : 0)), quantity.exponent_};
}

Quantity QuantityAmount::small(std::int64_t mantissa, int exponent, Quantity::Format format, std::string_view written) {
    Quantity made(mantissa, mantissa == 0 ? 0 : exponent, format);
    made.digits_ = Text(written);
    return made;
}

std::optional<std::int64_t> QuantityAmount::mantissa() const {
    if (is_zero()) return 0;
    const std::string text = (negative ? "-" : "") + digits;
    std::int64_t parsed = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (failure != std::errc()) return std::nullopt;
    return parsed;
}

Quantity QuantityAmount::quantity(Quantity::Format format) const {
    QuantityAmount reduced = *this;
    while (!reduced.is_zero() && reduced.digits.back() == '0') {
        reduced.digits.pop_back();
        ++reduced.exponent;
    }
    if (const auto fitting = reduced.mantissa()) return small(*fitting, reduced.exponent, format, {});
    Quantity made(0, reduced.exponent, format);
    made.digits_ = Text((negative ? "-" : "") + reduced.digits);
    made.big_ = true;
    return made;
}

void QuantityAmount::lower_exponent(int to) {
    if (!is_zero()) digits.append(static_cast<std::size_t>(exponent - to), '0');
    exponent = to;
}

bool QuantityAmount::raise_exponent_up(int to) {
    if (exponent >= to) return true;
    const auto cut = static_cast<std::size_t>(to - exponent);
    const std::string lost = cut < digits.size() ? digits.substr(digits.size() - cut) : digits;
    digits.resize(cut < digits.size() ? digits.size() - cut : 0);
    exponent = to;
    if (lost.find_first_not_of('0') == std::string::npos) return true;
    digits = sum(digits, "1");
    return false;
}

void QuantityAmount::add(QuantityAmount other) {
    const int low = std::min(exponent, other.exponent);
    lower_exponent(low);
    other.lower_exponent(low);
    if (negative == other.negative) {
        digits = sum(digits, other.digits);
    } else if (compare_digits(digits, other.digits) >= 0) {
        digits = difference(digits, other.digits);
    } else {
        digits = difference(other.digits, digits);
        negative = other.negative;
    }
    if (is_zero()) negative = false;
}

void QuantityAmount::multiply(std::uint64_t factor) {
    std::string out(digits.size() + 20, '0');
    Wide carry = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        carry += static_cast<Wide>(digit_at(digits, i)) * factor;
        out[out.size() - 1 - i] = static_cast<char>('0' + static_cast<int>(carry % 10));
        carry /= 10;
    }
    *this = of_digits(negative, out, exponent);
}

std::uint32_t QuantityAmount::divide(std::uint32_t divisor) {
    std::uint64_t remainder = 0;
    for (char& digit : digits) {
        remainder = remainder * 10 + static_cast<std::uint64_t>(digit - '0');
        digit = static_cast<char>('0' + remainder / divisor);
        remainder %= divisor;
    }
    strip_leading_zeros(digits);
    if (is_zero()) negative = false;
    return static_cast<std::uint32_t>(remainder);
}

std::strong_ordering QuantityAmount::compare(QuantityAmount other) const {
    if (negative != other.negative) return other.negative <=> negative;
    QuantityAmount mine = *this;
    const int low = std::min(exponent, other.exponent);
    mine.lower_exponent(low);
    other.lower_exponent(low);
    return negative ? compare_digits(other.digits, mine.digits) : compare_digits(mine.digits, other.digits);
}

}  // namespace muster::api
