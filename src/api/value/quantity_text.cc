// How a Quantity is read and printed. Both follow Kubernetes to the letter, as the text is what clients compare.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "api/value/quantity.h"
#include "api/value/quantity_amount.h"
#include "base/ascii.h"

namespace muster::api {
namespace {

using Format = Quantity::Format;

// The API's own sentences.
constexpr const char* kWrongForm =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kWrongNumber = "unable to parse numeric part of quantity";
constexpr const char* kWrongSuffix = "unable to parse quantity's suffix";

constexpr int kNano = -9;
constexpr int kExa = 18;
constexpr int kExbi = 6;             // of 1024
constexpr int kSmallDigitsMax = 18;  // what always fits 64 bits

// "-01.50Ki" in its parts.
struct Parts {
    bool negative = false;
    std::string_view whole;     // without leading zeros: 1
    std::string_view fraction;  // 50
    bool has_digits = false;
    std::string_view suffix;  // Ki
};

struct Suffix {
    Format format;
    int exponent;  // of two for kBinarySI, else of ten
};

std::string_view take_digits(std::string_view& rest) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(digits.size());
    return digits;
}

// Everything Kubernetes' scanner lets through, down to "+" and "Ki" without a digit, which are zero.
std::optional<Parts> split(std::string_view text) {
    Parts parts;
    std::string_view rest = text;
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
        parts.negative = rest[0] == '-';
        rest.remove_prefix(1);
    }
    parts.whole = take_digits(rest);
    parts.has_digits = !parts.whole.empty();
    parts.whole.remove_prefix(std::min(parts.whole.find_first_not_of('0'), parts.whole.size()));
    if (!rest.empty() && rest[0] == '.') {
        rest.remove_prefix(1);
        parts.fraction = take_digits(rest);
        parts.has_digits = parts.has_digits || !parts.fraction.empty();
    }
    parts.suffix = rest;
    rest.remove_prefix(std::min(rest.find_first_not_of("eEinumkKMGTP"), rest.size()));
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    take_digits(rest);
    if (!rest.empty()) return std::nullopt;
    return parts;
}

std::optional<Suffix> interpret(std::string_view suffix) {
    struct Known {
        std::string_view text;
        Suffix suffix;
    };
    static constexpr Known kKnown[] = {
        {"", {Format::kDecimalSI, 0}},     {"m", {Format::kDecimalSI, -3}}, {"Ki", {Format::kBinarySI, 10}},
        {"Mi", {Format::kBinarySI, 20}},   {"Gi", {Format::kBinarySI, 30}}, {"Ti", {Format::kBinarySI, 40}},
        {"Pi", {Format::kBinarySI, 50}},   {"Ei", {Format::kBinarySI, 60}}, {"n", {Format::kDecimalSI, -9}},
        {"u", {Format::kDecimalSI, -6}},   {"k", {Format::kDecimalSI, 3}},  {"M", {Format::kDecimalSI, 6}},
        {"G", {Format::kDecimalSI, 9}},    {"T", {Format::kDecimalSI, 12}}, {"P", {Format::kDecimalSI, 15}},
        {"E", {Format::kDecimalSI, kExa}},
    };
    for (const Known& known : kKnown)
        if (known.text == suffix) return known.suffix;
    if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
    suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
    std::int64_t exponent = 0;
    const auto [end, failure] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
    if (failure != std::errc() || end != suffix.data() + suffix.size()) return std::nullopt;
    if (exponent > Quantity::kExponentMax) return std::nullopt;
    // However far below a billionth, it rounds up to one.
    constexpr std::int64_t kFarBelow = -4 * static_cast<std::int64_t>(Quantity::kTextMax);
    return Suffix{Format::kDecimalExponent, static_cast<int>(std::max(exponent, kFarBelow))};
}

// Kubernetes keeps a text as it was written when a cheap look says it is canonical, though the look is fooled by
// "1.500", "+5" and "1E3". Clients see those texts again, so the look is the same here.
bool looks_canonical(const Suffix& suffix, std::string_view digits, std::int64_t mantissa, int exponent) {
    if (suffix.format == Format::kBinarySI) return (mantissa & 7) != 0;
    return exponent % 3 == 0 && !digits.ends_with("000") && digits[0] != '0';
}

// The common case: up to 18 digits. Nothing when 64 bits may not hold the amount.
std::optional<Quantity> parse_small(std::string_view text, const Parts& parts, const Suffix& suffix) {
    std::string digits(parts.whole.empty() ? std::string_view("0") : parts.whole);
    const std::size_t whole_size = digits.size();
    digits += parts.fraction;
    const bool binary = suffix.format == Format::kBinarySI;
    const int exponent = (binary ? 0 : suffix.exponent) - static_cast<int>(parts.fraction.size());
    if (binary) {
        if (!parts.fraction.empty()) return std::nullopt;
        if (static_cast<int>(whole_size) + suffix.exponent * 3 / 10 > 14) return std::nullopt;
    } else if (digits.size() > kSmallDigitsMax || exponent < kNano) {
        return std::nullopt;
    }
    std::int64_t mantissa = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), mantissa);
    const bool keep = looks_canonical(suffix, digits, mantissa, exponent);
    if (binary) mantissa <<= suffix.exponent;  // at most 14 digits in all
    if (parts.negative) mantissa = -mantissa;
    const Quantity plain = QuantityAmount::small(mantissa, exponent, suffix.format, {});
    if (!keep || plain.text() == text) return plain;
    return QuantityAmount::small(mantissa, exponent, suffix.format, text);
}

Quantity parse_big(const Parts& parts, const Suffix& suffix) {
    const bool binary = suffix.format == Format::kBinarySI;
    const int exponent = (binary ? 0 : suffix.exponent) - static_cast<int>(parts.fraction.size());
    auto amount = QuantityAmount::of_digits(parts.negative, std::string(parts.whole).append(parts.fraction), exponent);
    if (binary) amount.multiply(std::uint64_t{1} << suffix.exponent);
    amount.raise_exponent_up(kNano);
    if (!binary) return amount.quantity(suffix.format);

    QuantityAmount size = amount;
    size.negative = false;
    if (size.compare(QuantityAmount::of(kInt64Max, 0)) > 0)
        return QuantityAmount::small(parts.negative ? -kInt64Max : kInt64Max, 0, suffix.format, {});
    // As Kubernetes: a binary amount below one is decimal from then on.
    const bool below_one = !size.is_zero() && size.compare(QuantityAmount::of(1, 0)) < 0;
    return amount.quantity(below_one ? Format::kDecimalSI : suffix.format);
}

std::string_view decimal_suffix(int exponent) {
    static constexpr std::string_view kSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    return kSuffixes[(exponent - kNano) / 3];
}

// The largest exponent that is a multiple of three and leaves no fraction.
void append_decimal(std::string digits, int exponent, Format format, std::string& out) {
    while (digits.back() == '0') {
        digits.pop_back();
        ++exponent;
    }
    int target = exponent - ((exponent % 3) + 3) % 3;
    // Kubernetes has no suffix above E and would print nothing there, which changes the amount; we print zeros.
    if (format == Format::kDecimalSI) target = std::min(target, kExa);
    out += digits;
    out.append(static_cast<std::size_t>(exponent - target), '0');
    if (format == Format::kDecimalSI) {
        out += decimal_suffix(target);
    } else if (target != 0) {
        out += 'e';
        out += std::to_string(target);
    }
}

constexpr std::string_view kBinarySuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

void append_binary(std::int64_t whole, std::string& out) {
    int times = 0;
    while (times < kExbi && whole % 1024 == 0) {
        whole /= 1024;
        ++times;
    }
    out += std::to_string(whole);
    out += kBinarySuffixes[times];
}

// The same for what 64 bits do not hold.
void append_binary(QuantityAmount whole, std::string& out) {
    whole.lower_exponent(0);
    int times = 0;
    while (times < kExbi) {
        QuantityAmount next = whole;
        if (next.divide(1024) != 0) break;
        whole = std::move(next);
        ++times;
    }
    if (whole.negative) out += '-';
    out += whole.digits;
    out += kBinarySuffixes[times];
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
    if (text.empty()) return Error{Code::kBadRequest, kWrongForm};
    if (text.size() > kTextMax) return Error{Code::kBadRequest, kWrongNumber};
    const std::optional<Parts> parts = split(text);
    if (!parts) return Error{Code::kBadRequest, kWrongForm};
    const std::optional<Suffix> suffix = interpret(parts->suffix);
    if (!suffix) return Error{Code::kBadRequest, kWrongSuffix};
    if (std::optional<Quantity> small = parse_small(text, *parts, *suffix)) return *std::move(small);
    if (!parts->has_digits) return Error{Code::kBadRequest, kWrongNumber};
    return parse_big(*parts, *suffix);
}

std::string Quantity::text() const {
    std::string out;
    append_text(out);
    return out;
}

void Quantity::append_text(std::string& out) const {
    if (!big_ && !digits_.empty()) {
        out += digits_.view();
    } else {
        append_canonical(out);
    }
}

void Quantity::append_canonical(std::string& out) const {
    if (is_zero()) {
        out += '0';
        return;
    }
    Format format = format_;
    if (format == Format::kBinarySI) {
        const std::optional<std::int64_t> whole = as_int64();
        if (whole && (*whole <= -1024 || *whole >= 1024)) return append_binary(*whole, out);
        if (!whole && is_integer()) return append_binary(QuantityAmount::of(*this), out);
        // A fraction, or a number too small to be told in binary, is told in decimal.
        format = Format::kDecimalSI;
    }
    append_decimal(big_ ? digits_.str() : std::to_string(mantissa_), exponent_, format, out);
}

}  // namespace muster::api
