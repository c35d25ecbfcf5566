// A fixed-point amount of a resource: 500m, 1.5Gi, 2e3. Never a floating point number, never lossy: sums and
// comparisons are exact at any size. Parsed text keeps its family of suffixes, and is printed in Kubernetes' canonical
// form. Small on purpose, as stored objects hold hundreds of thousands of them.
// Invariants: nothing finer than a billionth; an amount that fits 64 bits (times a power of ten) has no heap part.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/schema/value_info.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::api {

class Quantity {
public:
    enum class Format : std::uint8_t {
        kDecimalSI,        // 12M
        kBinarySI,         // 12Mi
        kDecimalExponent,  // 12e6
    };

    Quantity() = default;
    static Quantity from_int(std::int64_t value, Format format = Format::kDecimalSI);
    static Quantity from_milli(std::int64_t milli, Format format = Format::kDecimalSI);

    // Kubernetes' grammar and rounding: what is finer than a billionth rounds away from zero, a binary suffix caps at
    // 2^63-1. Refuses (kBadRequest, with Kubernetes' sentence) what does not match, text over kTextMax characters, and
    // exponents over kExponentMax.
    static Result<Quantity> parse(std::string_view text);
    static constexpr std::size_t kTextMax = 512;
    static constexpr int kExponentMax = 512;

    std::string text() const;
    void append_text(std::string& out) const;
    Format format() const { return format_; }

    int sign() const;  // -1, 0, 1
    bool is_zero() const { return mantissa_ == 0 && !big_; }
    bool is_integer() const;
    // Whole units, or thousandths, rounded away from zero. What does not fit stops at the limits of 64 bits.
    std::int64_t value() const;
    std::int64_t milli_value() const;
    // The amount, when it is a whole number that fits.
    std::optional<std::int64_t> as_int64() const;
    double approximate() const;

    // An amount of zero takes the format of the other.
    Quantity& operator+=(const Quantity& other);
    Quantity& operator-=(const Quantity& other);
    Quantity& operator*=(std::int64_t factor);
    Quantity operator-() const;
    friend Quantity operator+(Quantity left, const Quantity& right) { return left += right; }
    friend Quantity operator-(Quantity left, const Quantity& right) { return left -= right; }
    friend Quantity operator*(Quantity left, std::int64_t factor) { return left *= factor; }

    // Rounds away from zero to a multiple of 10^scale: -3 leaves thousandths. Gives false when that changed the amount.
    bool round_up(int scale);

    // Amounts compare, not texts: 1 == 1000m, 1Ki == 1024.
    std::strong_ordering operator<=>(const Quantity& other) const;
    bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

private:
    friend struct QuantityAmount;
    Quantity(std::int64_t mantissa, int exponent, Format format)
        : mantissa_(mantissa), exponent_(exponent), format_(format) {}
    void add(const Quantity& other, bool negated);
    std::int64_t scaled(int scale) const;
    void append_canonical(std::string& out) const;

    // The amount is mantissa_ * 10^exponent_. When big_, digits_ is the mantissa instead, as signed decimal text.
    // Otherwise digits_ is the text as it was written, when Kubernetes prints that and it is not the canonical one.
    std::int64_t mantissa_ = 0;
    Text digits_;
    std::int32_t exponent_ = 0;
    Format format_ = Format::kDecimalSI;
    bool big_ = false;
};
static_assert(sizeof(Quantity) <= 24);

template <>
struct ScalarTraits<Quantity> {
    static constexpr const char* kOpenapiType = nullptr;  // a string or a number
    static constexpr const char* kOpenapiFormat = nullptr;
    static constexpr const char* kOpenapiName = "io.k8s.apimachinery.pkg.api.resource.Quantity";
    static constexpr const char* kExpected = "a quantity such as 500m or 2Gi";
    static constexpr bool kIsMessage = true;
    static bool same(const Quantity& left, const Quantity& right) {
        return left == right && left.text() == right.text();
    }
    static bool empty(const Quantity& quantity) { return quantity.is_zero(); }
    static bool from_json(Quantity& quantity, JsonToken token, std::string& error);
    static void append_json(const Quantity& quantity, std::string& out);
    static bool from_protobuf(Quantity& quantity, std::string_view bytes);
    static void append_protobuf(const Quantity& quantity, std::string& out);
};

}  // namespace muster::api
