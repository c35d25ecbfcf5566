#include "api/value/cron_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/value/quote.h"
#include "api/value/span.h"
#include "base/ascii.h"

namespace muster::api {
namespace {

struct Bounds {
    int low;
    int high;
    std::span<const std::string_view> names = {};  // of low, low + 1, …
};

constexpr std::string_view kMonthNames[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdayNames[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr Bounds kMinutes{0, 59};
constexpr Bounds kHours{0, 23};
constexpr Bounds kDays{1, 31};
constexpr Bounds kMonths{1, 12, kMonthNames};
constexpr Bounds kWeekdays{0, 6, kWeekdayNames};

struct Field {
    std::uint64_t bits = 0;
    bool any = false;
};

Error bad_schedule(std::string sentence) { return {Code::kInvalid, std::move(sentence)}; }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const auto start = std::find_if_not(text.begin(), text.end(), is_space);
        text.remove_prefix(static_cast<std::size_t>(start - text.begin()));
        const auto end = std::find_if(text.begin(), text.end(), is_space);
        const auto length = static_cast<std::size_t>(end - text.begin());
        if (length) words.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return words;
}

Result<int> parse_number(std::string_view text) {
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    int number = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (problem != std::errc{} || end != digits.data() + digits.size() ||
        (digits.size() != text.size() && number < 0)) {
        const bool too_large = problem == std::errc::result_out_of_range;
        return bad_schedule("failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " +
                            in_quotes(text) + (too_large ? ": value out of range" : ": invalid syntax"));
    }
    if (number < 0)
        return bad_schedule("negative number (" + std::to_string(number) + ") not allowed: " + std::string(text));
    return number;
}

Result<int> parse_value(std::string_view text, const Bounds& bounds) {
    const auto named = std::find(bounds.names.begin(), bounds.names.end(), lower(text));
    if (named != bounds.names.end()) return bounds.low + static_cast<int>(named - bounds.names.begin());
    return parse_number(text);
}

struct Range {
    int start;
    int end;
    int step = 1;
    bool any = false;
};

Result<Range> parse_ends(std::string_view piece, std::string_view ends, const Bounds& bounds) {
    const auto parts = split(ends, '-');
    if (parts[0] == "*" || parts[0] == "?") return Range{bounds.low, bounds.high, 1, true};
    TRY_ASSIGN(const int start, parse_value(parts[0], bounds));
    if (parts.size() == 1) return Range{start, start};
    if (parts.size() > 2) return bad_schedule("too many hyphens: " + std::string(piece));
    TRY_ASSIGN(const int end, parse_value(parts[1], bounds));
    return Range{start, end};
}

// One piece of a field: 5, 1-5, */15, mon-fri/2.
Result<Range> parse_range(std::string_view piece, const Bounds& bounds) {
    const auto parts = split(piece, '/');
    TRY_ASSIGN(Range range, parse_ends(piece, parts[0], bounds));
    if (parts.size() > 2) return bad_schedule("too many slashes: " + std::string(piece));
    if (parts.size() == 2) {
        TRY_ASSIGN(range.step, parse_number(parts[1]));
        // N/step means from N to the end.
        if (parts[0].find('-') == std::string_view::npos) range.end = bounds.high;
        if (range.step > 1) range.any = false;
    }
    const auto between = [&](const char* what, int value, const char* than, int limit) {
        return bad_schedule(std::string(what) + " (" + std::to_string(value) + ") " + than + " (" +
                            std::to_string(limit) + "): " + std::string(piece));
    };
    if (range.start < bounds.low) return between("beginning of range", range.start, "below minimum", bounds.low);
    if (range.end > bounds.high) return between("end of range", range.end, "above maximum", bounds.high);
    if (range.start > range.end) return between("beginning of range", range.start, "beyond end of range", range.end);
    if (range.step == 0) return bad_schedule("step of range should be a positive number: " + std::string(piece));
    return range;
}

Result<Field> parse_field(std::string_view text, const Bounds& bounds) {
    Field field;
    for (const std::string_view piece : split(text, ',')) {
        if (piece.empty()) continue;
        TRY_ASSIGN(const Range range, parse_range(piece, bounds));
        for (std::int64_t value = range.start; value <= range.end; value += range.step)
            field.bits |= std::uint64_t{1} << value;
        field.any |= range.any;
    }
    return field;
}

Result<CronSchedule> parse_name(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
        {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"},
    };
    for (const auto& [known, fields] : kNames)
        if (name == known) return CronSchedule::parse(fields);
    constexpr std::string_view kEvery = "@every ";
    if (!name.starts_with(kEvery)) return bad_schedule("unrecognized descriptor: " + std::string(name));
    const Result<Span> span = Span::parse(name.substr(kEvery.size()));
    if (!span.ok()) return bad_schedule("failed to parse duration " + std::string(name) + ": " + span.error().message);
    CronSchedule schedule;
    schedule.every = std::max<Duration>(span->duration(), std::chrono::seconds(1));
    return schedule;
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
    if (text.empty()) return bad_schedule("empty spec string");
    if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
        const std::size_t blank = text.find(' ');
        if (blank == std::string_view::npos) return bad_schedule("no schedule after the time zone");
        text.remove_prefix(blank);
        while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    }
    if (text.starts_with('@')) return parse_name(text);
    const auto words = split_words(text);
    if (words.size() != 5) {
        std::string listed;
        for (const std::string_view word : words) listed.append(listed.empty() ? "" : " ").append(word);
        return bad_schedule("expected exactly 5 fields, found " + std::to_string(words.size()) + ": [" + listed + "]");
    }
    TRY_ASSIGN(const Field minutes, parse_field(words[0], kMinutes));
    TRY_ASSIGN(const Field hours, parse_field(words[1], kHours));
    TRY_ASSIGN(const Field days, parse_field(words[2], kDays));
    TRY_ASSIGN(const Field months, parse_field(words[3], kMonths));
    TRY_ASSIGN(const Field weekdays, parse_field(words[4], kWeekdays));
    return CronSchedule{minutes.bits, hours.bits, days.bits, months.bits, weekdays.bits, days.any, weekdays.any};
}

}  // namespace muster::api
