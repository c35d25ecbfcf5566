#include "api/value/span.h"

#include <array>

#include "api/value/field_reader.h"
#include "api/value/quote.h"
#include "base/ascii.h"

namespace muster::api {
namespace {

constexpr std::uint64_t kMicro = 1000;
constexpr std::uint64_t kMilli = 1000 * kMicro;
constexpr std::uint64_t kSecond = 1000 * kMilli;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;
constexpr std::uint64_t kMagnitudeMax = std::uint64_t{1} << 63;

struct Unit {
    std::string_view name;
    std::uint64_t nanos;
};
constexpr Unit kUnits[] = {{"ns", 1},      {"us", kMicro}, {"\u00b5s", kMicro}, {"\u03bcs", kMicro},
                           {"ms", kMilli}, {"s", kSecond}, {"m", kMinute},      {"h", kHour}};

// False past 2^63.
bool take_whole(std::string_view& rest, std::uint64_t& whole) {
    for (; !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1)) {
        if (whole > kMagnitudeMax / 10) return false;
        whole = whole * 10 + static_cast<std::uint64_t>(rest[0] - '0');
        if (whole > kMagnitudeMax) return false;
    }
    return true;
}

struct Fraction {
    std::uint64_t digits = 0;
    double scale = 1;
};

// Digits past what 64 bits hold do not count.
Fraction take_fraction(std::string_view& rest) {
    Fraction fraction;
    bool full = false;
    for (; !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1)) {
        if (full || fraction.digits > (kMagnitudeMax - 1) / 10) {
            full = true;
            continue;
        }
        const std::uint64_t next = fraction.digits * 10 + static_cast<std::uint64_t>(rest[0] - '0');
        if (next > kMagnitudeMax) {
            full = true;
            continue;
        }
        fraction.digits = next;
        fraction.scale *= 10;
    }
    return fraction;
}

const Unit* find_unit(std::string_view name) {
    for (const Unit& unit : kUnits)
        if (unit.name == name) return &unit;
    return nullptr;
}

// One "1.5h" from the front of rest, in nanoseconds up to 2^63. On failure `problem` says what, in Go's words.
bool take_term(std::string_view& rest, std::uint64_t& nanos, std::string& problem) {
    problem = "invalid duration";
    const std::size_t before = rest.size();
    std::uint64_t whole = 0;
    if (!take_whole(rest, whole)) return false;
    bool has_digits = rest.size() != before;
    Fraction fraction;
    if (!rest.empty() && rest[0] == '.') {
        rest.remove_prefix(1);
        const std::size_t after_point = rest.size();
        fraction = take_fraction(rest);
        has_digits = has_digits || rest.size() != after_point;
    }
    if (!has_digits) return false;

    std::size_t size = 0;
    while (size < rest.size() && rest[size] != '.' && !is_digit(rest[size])) ++size;
    if (size == 0) {
        problem = "missing unit in duration";
        return false;
    }
    const Unit* unit = find_unit(rest.substr(0, size));
    if (!unit) {
        problem = "unknown unit " + in_quotes(rest.substr(0, size)) + " in duration";
        return false;
    }
    rest.remove_prefix(size);
    if (whole > kMagnitudeMax / unit->nanos) return false;
    nanos = whole * unit->nanos;
    // The same floating point as Go's, so that the last nanosecond agrees.
    if (fraction.digits > 0)
        nanos += static_cast<std::uint64_t>(static_cast<double>(fraction.digits) *
                                            (static_cast<double>(unit->nanos) / fraction.scale));
    return nanos <= kMagnitudeMax;
}

// value / 10^places without trailing zeros, to the left of what out holds reversed.
void push_decimal(std::string& reversed, std::uint64_t value, int places) {
    bool started = false;
    for (int i = 0; i < places; ++i, value /= 10) {
        started = started || value % 10 != 0;
        if (started) reversed += static_cast<char>('0' + value % 10);
    }
    if (started) reversed += '.';
    do {
        reversed += static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
}

}  // namespace

Result<Span> Span::parse(std::string_view text) {
    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest == "0") return Span();
    std::uint64_t total = 0;
    std::string problem = "invalid duration";
    bool fine = !rest.empty();
    while (fine && !rest.empty()) {
        std::uint64_t nanos = 0;
        fine = take_term(rest, nanos, problem);
        if (!fine) break;
        total += nanos;  // two terms of 2^63 wrap to zero at most: each is checked
        problem = "invalid duration";
        fine = total <= kMagnitudeMax && total >= nanos;
    }
    if (fine && !negative && total == kMagnitudeMax) fine = false;
    if (!fine) return Error{Code::kBadRequest, "time: " + problem + " " + in_quotes(text)};
    return Span(Duration(static_cast<std::int64_t>(negative ? -total : total)));
}

std::string Span::text() const {
    if (nanos_ == 0) return "0s";
    const bool negative = nanos_ < 0;
    const std::uint64_t size = negative ? -static_cast<std::uint64_t>(nanos_) : static_cast<std::uint64_t>(nanos_);
    std::string reversed = "s";
    if (size < kMicro) {
        reversed += 'n';
        push_decimal(reversed, size, 0);
    } else if (size < kMilli) {
        reversed += "\xb5\xc2";  // µ
        push_decimal(reversed, size, 3);
    } else if (size < kSecond) {
        reversed += 'm';
        push_decimal(reversed, size, 6);
    } else {
        push_decimal(reversed, size % kMinute, 9);
        if (size >= kMinute) {
            reversed += 'm';
            push_decimal(reversed, size / kMinute % 60, 0);
        }
        if (size >= kHour) {
            reversed += 'h';
            push_decimal(reversed, size / kHour, 0);
        }
    }
    if (negative) reversed += '-';
    return {reversed.rbegin(), reversed.rend()};
}

bool ScalarTraits<Span>::from_json(Span& span, JsonToken token, std::string& error) {
    if (token.kind != JsonToken::Kind::kString) {
        error = std::string("expected ") + kExpected + ", got " + std::string(token.text);
        return false;
    }
    const auto parsed = Span::parse(token.text);
    if (!parsed) {
        error = parsed.error().message;
        return false;
    }
    span = *parsed;
    return true;
}

void ScalarTraits<Span>::append_json(const Span& span, std::string& out) {
    out += '"';
    out += span.text();
    out += '"';
}

bool ScalarTraits<Span>::from_protobuf(Span& span, std::string_view bytes) {
    span = Span();
    FieldReader reader(bytes);
    while (reader.next()) {
        if (reader.number() != 1) continue;
        if (!reader.is_varint()) return false;
        span = Span(Duration(static_cast<std::int64_t>(reader.varint())));
    }
    return reader.ok();
}

void ScalarTraits<Span>::append_protobuf(const Span& span, std::string& out) {
    append_field(1, static_cast<std::uint64_t>(span.duration().count()), out);
}

}  // namespace muster::api
