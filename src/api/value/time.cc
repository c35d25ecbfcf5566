#include "api/value/time.h"

#include <array>

#include "api/value/field_reader.h"
#include "api/value/quote.h"
#include "base/ascii.h"

namespace muster::api {
namespace {

constexpr std::int64_t kUnixOfYearOne = -62135596800;
constexpr std::int64_t kUnixOfYear10000 = 253402300800;
constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kDaySeconds = 86400;

constexpr std::string_view kSecondsForm = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicrosForm = "2006-01-02T15:04:05.000000Z07:00";

bool in_range(std::int64_t unix_seconds) { return unix_seconds >= kUnixOfYearOne && unix_seconds < kUnixOfYear10000; }

struct Parsed {
    std::int64_t unix_seconds = 0;
    std::int32_t micros = 0;
};

// Reads the elements of a form one after the other. The first that does not fit makes the error, which names the
// text, the form, and the element, in the API's words.
class Parser {
public:
    Parser(std::string_view text, bool micros) : text_(text), rest_(text), micros_(micros) {}

    Result<Parsed> parse() {
        read_date();
        read_clock();
        read_zone();
        if (error_.empty() && !rest_.empty()) fail(": extra text: " + in_quotes(rest_));
        if (error_.empty() && !date_.ok()) fail(": day out of range");
        if (!error_.empty()) return Error{Code::kBadRequest, error_};
        const auto days = std::chrono::sys_days(date_).time_since_epoch().count();
        parsed_.unix_seconds += days * kDaySeconds;
        if (!in_range(parsed_.unix_seconds)) {
            fail(": year outside of range [1,9999]");
            return Error{Code::kBadRequest, error_};
        }
        return parsed_;
    }

private:
    void read_date() {
        const bool four =
            rest_.size() >= 4 && is_digit(rest_[0]) && is_digit(rest_[1]) && is_digit(rest_[2]) && is_digit(rest_[3]);
        int year = 0;
        if (four) {
            for (int i = 0; i < 4; ++i) year = year * 10 + (rest_[static_cast<std::size_t>(i)] - '0');
            rest_.remove_prefix(4);
        } else {
            mismatch("2006");
        }
        expect("-");
        const int month = two_digits("01");
        if (error_.empty() && (month < 1 || month > 12)) fail(": month out of range");
        expect("-");
        const int day = two_digits("02");
        date_ = std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                            std::chrono::day(static_cast<unsigned>(day)));
    }

    void read_clock() {
        expect("T");
        // One digit of an hour is enough for Kubernetes.
        const bool short_hour =
            error_.empty() && !rest_.empty() && is_digit(rest_[0]) && (rest_.size() < 2 || !is_digit(rest_[1]));
        int hour = 0;
        if (short_hour) {
            hour = rest_[0] - '0';
            rest_.remove_prefix(1);
        } else {
            hour = two_digits("15");
        }
        if (error_.empty() && hour > 23) fail(": hour out of range");
        expect(":");
        const int minute = two_digits("04");
        if (error_.empty() && minute > 59) fail(": minute out of range");
        expect(":");
        const int second = two_digits("05");
        if (error_.empty() && second > 59) fail(": second out of range");
        parsed_.unix_seconds = hour * 3600 + minute * 60 + second;
        if (micros_) {
            read_micros();
        } else {
            skip_fraction();
        }
    }

    void read_micros() {
        if (!error_.empty()) return;
        bool fits = rest_.size() >= 7 && (rest_[0] == '.' || rest_[0] == ',');
        for (std::size_t i = 1; fits && i < 7; ++i) {
            fits = is_digit(rest_[i]);
            parsed_.micros = parsed_.micros * 10 + (rest_[i] - '0');
        }
        if (!fits) return mismatch(".000000");
        rest_.remove_prefix(7);
    }

    void skip_fraction() {
        if (!error_.empty() || rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) return;
        rest_.remove_prefix(1);
        while (!rest_.empty() && is_digit(rest_[0])) rest_.remove_prefix(1);
    }

    void read_zone() {
        if (!error_.empty()) return;
        if (rest_.starts_with('Z')) {
            rest_.remove_prefix(1);
            return;
        }
        const bool fits = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') && is_digit(rest_[1]) &&
                          is_digit(rest_[2]) && rest_[3] == ':' && is_digit(rest_[4]) && is_digit(rest_[5]);
        if (!fits) return mismatch("Z07:00");
        const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
        const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
        // 24 hours and 60 minutes are let through, as some write them.
        if (hours > 24) return fail(": time zone offset hour out of range");
        if (minutes > 60) return fail(": time zone offset minute out of range");
        const int offset = hours * 3600 + minutes * 60;
        parsed_.unix_seconds -= rest_[0] == '-' ? -offset : offset;
        rest_.remove_prefix(6);
    }

    int two_digits(std::string_view element) {
        if (!error_.empty()) return 0;
        if (rest_.size() < 2 || !is_digit(rest_[0]) || !is_digit(rest_[1])) {
            mismatch(element);
            return 0;
        }
        const int number = (rest_[0] - '0') * 10 + (rest_[1] - '0');
        rest_.remove_prefix(2);
        return number;
    }

    void expect(std::string_view literal) {
        if (!error_.empty()) return;
        if (!rest_.starts_with(literal)) return mismatch(literal);
        rest_.remove_prefix(literal.size());
    }

    void mismatch(std::string_view element) {
        const std::string_view form = micros_ ? kMicrosForm : kSecondsForm;
        if (error_.empty())
            error_ = "parsing time " + in_quotes(text_) + " as " + in_quotes(form) + ": cannot parse " +
                     in_quotes(rest_) + " as " + in_quotes(element);
    }
    void fail(const std::string& reason) {
        if (error_.empty()) error_ = "parsing time " + in_quotes(text_) + reason;
    }

    std::string_view text_;
    std::string_view rest_;
    bool micros_;
    std::chrono::year_month_day date_{};
    Parsed parsed_;
    std::string error_;
};

void append_number(std::string& out, std::int64_t number, int width) {
    std::array<char, 20> digits{};
    for (int i = width - 1; i >= 0; --i, number /= 10)
        digits[static_cast<std::size_t>(i)] = static_cast<char>('0' + number % 10);
    out.append(digits.data(), static_cast<std::size_t>(width));
}

// "2006-01-02T15:04:05"
void append_date_and_clock(std::string& out, std::int64_t unix_seconds) {
    const std::chrono::sys_seconds at{std::chrono::seconds(unix_seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const auto second = (at - day).count();
    append_number(out, static_cast<int>(date.year()), 4);
    out += '-';
    append_number(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_number(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    append_number(out, second / 3600, 2);
    out += ':';
    append_number(out, second / 60 % 60, 2);
    out += ':';
    append_number(out, second % 60, 2);
}

struct Timestamp {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
};

bool read_timestamp(std::string_view bytes, Timestamp& out) {
    FieldReader reader(bytes);
    while (reader.next()) {
        if (reader.number() > 2) continue;
        if (!reader.is_varint()) return false;
        if (reader.number() == 1) out.seconds = static_cast<std::int64_t>(reader.varint());
        if (reader.number() == 2) out.nanos = static_cast<std::int32_t>(reader.varint());
    }
    return reader.ok() && in_range(out.seconds);
}

// Both fields always, as Kubernetes writes them.
void append_timestamp(std::string& out, std::int64_t seconds, std::int64_t nanos) {
    append_field(1, static_cast<std::uint64_t>(seconds), out);
    append_field(2, static_cast<std::uint64_t>(nanos), out);
}

template <class T>
bool read_json(T& time, JsonToken token, std::string& error) {
    if (token.kind != JsonToken::Kind::kString) {
        error = std::string("expected ") + ScalarTraits<T>::kExpected + ", got " + std::string(token.text);
        return false;
    }
    auto parsed = T::parse(token.text);
    if (!parsed) {
        error = parsed.error().message;
        return false;
    }
    time = *parsed;
    return true;
}

template <class T>
void write_json(const T& time, std::string& out) {
    if (time.is_null()) {
        out += "null";
        return;
    }
    out += '"';
    time.append_text(out);
    out += '"';
}

}  // namespace

Time Time::from_unix_seconds(std::int64_t seconds) {
    CHECK(in_range(seconds), "a time outside of the years 1 to 9999");
    Time made;
    made.since_year_one_ = seconds - kUnixOfYearOne;
    return made;
}

Result<Time> Time::parse(std::string_view text) {
    TRY_ASSIGN(const Parsed parsed, Parser(text, false).parse());
    return from_unix_seconds(parsed.unix_seconds);
}

std::int64_t Time::unix_seconds() const { return since_year_one_ + kUnixOfYearOne; }

Instant Time::instant() const { return Instant::from_unix_seconds(unix_seconds()); }

void Time::append_text(std::string& out) const {
    if (is_null()) return;
    append_date_and_clock(out, unix_seconds());
    out += 'Z';
}

std::string Time::text() const {
    std::string out;
    append_text(out);
    return out;
}

MicroTime MicroTime::from_instant(Instant instant) {
    return from_unix_micros(std::chrono::floor<std::chrono::microseconds>(instant.since_epoch()).count());
}

MicroTime MicroTime::from_unix_micros(std::int64_t micros) {
    CHECK(micros >= kUnixOfYearOne * kMicros && micros < kUnixOfYear10000 * kMicros,
          "a time outside of the years 1 to 9999");
    MicroTime made;
    made.since_year_one_ = micros - kUnixOfYearOne * kMicros;
    return made;
}

Result<MicroTime> MicroTime::parse(std::string_view text) {
    TRY_ASSIGN(const Parsed parsed, Parser(text, true).parse());
    return from_unix_micros(parsed.unix_seconds * kMicros + parsed.micros);
}

std::int64_t MicroTime::unix_micros() const { return since_year_one_ + kUnixOfYearOne * kMicros; }

Instant MicroTime::instant() const {
    return Instant::from_unix(duration_sat(std::chrono::microseconds(unix_micros())));
}

void MicroTime::append_text(std::string& out) const {
    if (is_null()) return;
    append_date_and_clock(out, since_year_one_ / kMicros + kUnixOfYearOne);
    out += '.';
    append_number(out, since_year_one_ % kMicros, 6);
    out += 'Z';
}

std::string MicroTime::text() const {
    std::string out;
    append_text(out);
    return out;
}

bool ScalarTraits<Time>::from_json(Time& time, JsonToken token, std::string& error) {
    return read_json(time, token, error);
}

void ScalarTraits<Time>::append_json(const Time& time, std::string& out) { write_json(time, out); }

bool ScalarTraits<Time>::from_protobuf(Time& time, std::string_view bytes) {
    time = Time();
    if (bytes.empty()) return true;
    Timestamp stamp;
    if (!read_timestamp(bytes, stamp)) return false;
    time = Time::from_unix_seconds(stamp.seconds);
    return true;
}

void ScalarTraits<Time>::append_protobuf(const Time& time, std::string& out) {
    if (!time.is_null()) append_timestamp(out, time.unix_seconds(), 0);
}

bool ScalarTraits<MicroTime>::from_json(MicroTime& time, JsonToken token, std::string& error) {
    return read_json(time, token, error);
}

void ScalarTraits<MicroTime>::append_json(const MicroTime& time, std::string& out) { write_json(time, out); }

bool ScalarTraits<MicroTime>::from_protobuf(MicroTime& time, std::string_view bytes) {
    time = MicroTime();
    if (bytes.empty()) return true;
    Timestamp stamp;
    if (!read_timestamp(bytes, stamp) || stamp.nanos < 0 || stamp.nanos >= 1'000'000'000) return false;
    time = MicroTime::from_unix_micros(stamp.seconds * kMicros + stamp.nanos / 1000);
    return true;
}

void ScalarTraits<MicroTime>::append_protobuf(const MicroTime& time, std::string& out) {
    if (time.is_null()) return;
    const std::int64_t micros = time.unix_micros();
    const std::int64_t seconds = micros >= 0 ? micros / kMicros : -((-micros + kMicros - 1) / kMicros);
    append_timestamp(out, seconds, (micros - seconds * kMicros) * 1000);
}

}  // namespace muster::api
