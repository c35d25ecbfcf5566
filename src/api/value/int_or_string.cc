#include "api/value/int_or_string.h"

#include <charconv>
#include <limits>

#include "api/text/json_text.h"
#include "api/text/utf8.h"
#include "api/value/field_reader.h"
#include "api/value/quote.h"

namespace muster::api {
namespace {

// A decimal number with an optional sign. Nothing for any other text and past 64 bits.
enum class Number { kFine, kNoNumber, kOutOfRange };
Number parse_number(std::string_view text, std::int64_t& number) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return Number::kNoNumber;
    }
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || failure == std::errc::invalid_argument) return Number::kNoNumber;
    return failure == std::errc() ? Number::kFine : Number::kOutOfRange;
}

IntOrString from_text(std::string_view text) { return {Text(is_utf8(text) ? std::string(text) : repair_utf8(text))}; }

Error invalid(const std::string& reason) { return {Code::kInvalid, "invalid value for IntOrString: " + reason}; }

}  // namespace

std::string IntOrString::text() const { return is_string_ ? text_.str() : std::to_string(number_); }

Result<int> IntOrString::scaled_value(int total, bool round_up) const {
    if (!is_string_) return number_;
    std::string_view share = text_;
    if (!share.ends_with('%')) return invalid("invalid type: string is not a percentage");
    share.remove_suffix(1);
    std::int64_t percent = 0;
    const Number parsed = parse_number(share, percent);
    if (parsed != Number::kFine)
        return invalid("invalid value " + in_quotes(text_) + ": strconv.Atoi: parsing " + in_quotes(share) +
                       (parsed == Number::kNoNumber ? ": invalid syntax" : ": value out of range"));
    __extension__ using Wide = __int128;
    const Wide product = static_cast<Wide>(percent) * total;
    Wide scaled = product / 100;
    if (product % 100 != 0) scaled += round_up ? (product > 0 ? 1 : 0) : (product < 0 ? -1 : 0);
    if (scaled > std::numeric_limits<int>::max() || scaled < std::numeric_limits<int>::min())
        return invalid("invalid value " + in_quotes(text_) + ": value out of range");
    return static_cast<int>(scaled);
}

bool ScalarTraits<IntOrString>::from_json(IntOrString& value, JsonToken token, std::string& error) {
    if (token.kind == JsonToken::Kind::kString) {
        value = from_text(token.text);
        return true;
    }
    std::int32_t number = 0;
    const char* last = token.text.data() + token.text.size();
    const auto [end, failure] = std::from_chars(token.text.data(), last, number);
    if (token.kind != JsonToken::Kind::kNumber || failure != std::errc() || end != last) {
        error = "expected an integer of 32 bits or a string, got " + std::string(token.text);
        return false;
    }
    value = IntOrString(number);
    return true;
}

void ScalarTraits<IntOrString>::append_json(const IntOrString& value, std::string& out) {
    if (value.is_string()) {
        append_json_string(value.string(), out);
    } else {
        out += std::to_string(value.number());
    }
}

bool ScalarTraits<IntOrString>::from_protobuf(IntOrString& value, std::string_view bytes) {
    std::uint64_t type = 0;
    std::int32_t number = 0;
    std::string_view text;
    FieldReader reader(bytes);
    while (reader.next()) {
        if (reader.number() > 3) continue;
        if (reader.number() == 3 ? !reader.is_bytes() : !reader.is_varint()) return false;
        if (reader.number() == 1) type = reader.varint();
        if (reader.number() == 2) number = static_cast<std::int32_t>(reader.varint());
        if (reader.number() == 3) text = reader.bytes();
    }
    if (!reader.ok() || type > 1) return false;
    value = type == 1 ? from_text(text) : IntOrString(number);
    return true;
}

void ScalarTraits<IntOrString>::append_protobuf(const IntOrString& value, std::string& out) {
    append_field(1, value.is_string() ? 1 : 0, out);
    // A negative number is widened with its sign, as everywhere in protobuf.
    append_field(2, static_cast<std::uint64_t>(std::int64_t{value.number()}), out);
    append_field(3, value.string(), out);
}

}  // namespace muster::api
