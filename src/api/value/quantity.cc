#include "api/value/quantity.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "api/value/field_reader.h"
#include "api/value/quantity_amount.h"

namespace muster::api {
namespace {

// 10^19 is the largest power that a 64-bit mantissa can be widened by.
constexpr int kWidenMax = 19;

constexpr Wide wide_pow10(int exponent) {
    Wide power = 1;
    for (int i = 0; i < exponent; ++i) power *= 10;
    return power;
}

bool fits(Wide value) { return value >= kInt64Min && value <= kInt64Max; }

std::int64_t saturate(Wide value) { return static_cast<std::int64_t>(std::clamp<Wide>(value, kInt64Min, kInt64Max)); }

Wide divide_up(Wide value, int digits) {
    if (digits > 37) return value == 0 ? 0 : (value < 0 ? -1 : 1);
    const Wide power = wide_pow10(digits);
    const Wide quotient = value / power;
    if (quotient * power == value) return quotient;
    return quotient + (value < 0 ? -1 : 1);
}

Quantity make(Wide mantissa, int exponent, Quantity::Format format) {
    if (fits(mantissa)) return QuantityAmount::small(static_cast<std::int64_t>(mantissa), exponent, format, {});
    return QuantityAmount::of(mantissa, exponent).quantity(format);
}

}  // namespace

Quantity Quantity::from_int(std::int64_t value, Format format) { return QuantityAmount::small(value, 0, format, {}); }

Quantity Quantity::from_milli(std::int64_t milli, Format format) {
    return QuantityAmount::small(milli, -3, format, {});
}

int Quantity::sign() const {
    if (big_) return digits_.view().front() == '-' ? -1 : 1;
    return mantissa_ == 0 ? 0 : (mantissa_ < 0 ? -1 : 1);
}

bool Quantity::is_integer() const {
    if (exponent_ >= 0) return true;
    // What is big has no trailing zeros.
    if (big_) return false;
    return static_cast<Wide>(mantissa_) % wide_pow10(-exponent_) == 0;
}

std::int64_t Quantity::scaled(int scale) const {
    const int digits = exponent_ - scale;
    if (!big_) {
        if (digits <= 0) return saturate(divide_up(static_cast<Wide>(mantissa_), -digits));
        if (digits <= kWidenMax) return saturate(mantissa_ * wide_pow10(digits));
    }
    QuantityAmount amount = QuantityAmount::of(*this);
    amount.raise_exponent_up(scale);
    amount.lower_exponent(scale);
    return amount.mantissa().value_or(amount.negative ? kInt64Min : kInt64Max);
}

std::int64_t Quantity::value() const { return scaled(0); }

std::int64_t Quantity::milli_value() const { return scaled(-3); }

std::optional<std::int64_t> Quantity::as_int64() const {
    if (!is_integer()) return std::nullopt;
    const std::int64_t whole = scaled(0);
    // At the limits the amount may have been cut.
    if ((whole == kInt64Max || whole == kInt64Min) && from_int(whole) != *this) return std::nullopt;
    return whole;
}

double Quantity::approximate() const {
    if (big_) return std::strtod((digits_.str() + "e" + std::to_string(exponent_)).c_str(), nullptr);
    // Dividing by an exact power rounds once; multiplying by 1e-3 would round twice.
    if (exponent_ < 0) return static_cast<double>(mantissa_) / std::pow(10.0, -exponent_);
    return static_cast<double>(mantissa_) * std::pow(10.0, exponent_);
}

void Quantity::add(const Quantity& other, bool negated) {
    const Format format = is_zero() ? other.format_ : format_;
    const int low = std::min(exponent_, other.exponent_);
    if (other.is_zero()) {
        *this = big_ ? *this : QuantityAmount::small(mantissa_, exponent_, format, {});
        format_ = format;
    } else if (!big_ && !other.big_ && exponent_ - low <= kWidenMax && other.exponent_ - low <= kWidenMax) {
        const Wide left = mantissa_ * wide_pow10(exponent_ - low);
        const Wide right = other.mantissa_ * wide_pow10(other.exponent_ - low);
        *this = make(negated ? left - right : left + right, low, format);
    } else {
        QuantityAmount sum = QuantityAmount::of(*this);
        sum.add(QuantityAmount::of(negated ? -other : other));
        *this = sum.quantity(format);
    }
}

Quantity& Quantity::operator+=(const Quantity& other) {
    add(other, false);
    return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
    add(other, true);
    return *this;
}

Quantity& Quantity::operator*=(std::int64_t factor) {
    if (big_) {
        QuantityAmount amount = QuantityAmount::of(*this);
        amount.multiply(factor < 0 ? -static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor));
        if (factor < 0) amount.negative = !amount.negative;
        return *this = amount.quantity(format_);
    }
    return *this = make(static_cast<Wide>(mantissa_) * factor, exponent_, format_);
}

Quantity Quantity::operator-() const { return *this * -1; }

bool Quantity::round_up(int scale) {
    if (exponent_ >= scale) return true;
    QuantityAmount amount = QuantityAmount::of(*this);
    const bool exact = amount.raise_exponent_up(scale);
    *this = amount.quantity(format_);
    return exact;
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
    if (!big_ && !other.big_) {
        if (exponent_ == other.exponent_) return mantissa_ <=> other.mantissa_;
        const int low = std::min(exponent_, other.exponent_);
        if (exponent_ - low <= kWidenMax && other.exponent_ - low <= kWidenMax) {
            const Wide left = mantissa_ * wide_pow10(exponent_ - low);
            const Wide right = other.mantissa_ * wide_pow10(other.exponent_ - low);
            return left < right ? std::strong_ordering::less
                                : (left > right ? std::strong_ordering::greater : std::strong_ordering::equal);
        }
    }
    if (const auto by_sign = sign() <=> other.sign(); by_sign != 0) return by_sign;
    return QuantityAmount::of(*this).compare(QuantityAmount::of(other));
}

bool ScalarTraits<Quantity>::from_json(Quantity& quantity, JsonToken token, std::string& error) {
    std::string_view text = token.text;
    constexpr std::string_view kSpace = " \t\n\v\f\r";
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(kSpace) + 1));
    auto parsed = Quantity::parse(text);
    if (!parsed) {
        error = parsed.error().message;
        return false;
    }
    quantity = *std::move(parsed);
    return true;
}

void ScalarTraits<Quantity>::append_json(const Quantity& quantity, std::string& out) {
    out += '"';
    quantity.append_text(out);
    out += '"';
}

bool ScalarTraits<Quantity>::from_protobuf(Quantity& quantity, std::string_view bytes) {
    quantity = Quantity();
    FieldReader reader(bytes);
    while (reader.next()) {
        if (reader.number() != 1) continue;
        if (!reader.is_bytes()) return false;
        auto parsed = Quantity::parse(reader.bytes());
        if (!parsed) return false;
        quantity = *std::move(parsed);
    }
    return reader.ok();
}

void ScalarTraits<Quantity>::append_protobuf(const Quantity& quantity, std::string& out) {
    append_field(1, quantity.text(), out);
}

}  // namespace muster::api
