#include "controllers/cron_job/time_zone.h"

#include <algorithm>
#include <chrono>

namespace muster::controllers {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

Error bad_zone(std::string_view why) { return {Code::kCorrupt, "not a time zone: " + std::string(why)}; }

// Takes big-endian numbers off the front of a file; `ok` says whether there was enough.
class ZoneBytes {
public:
    explicit ZoneBytes(std::string_view bytes) : left_(bytes) {}
    std::int64_t take(std::size_t size) {
        if (left_.size() < size) {
            ok_ = false;
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(left_[i]);
        left_.remove_prefix(size);
        if (size == 4) return static_cast<std::int32_t>(value);
        return static_cast<std::int64_t>(value);
    }
    void skip(std::size_t size) {
        ok_ = ok_ && left_.size() >= size;
        left_.remove_prefix(std::min(size, left_.size()));
    }
    std::string_view left() const { return left_; }
    bool ok() const { return ok_; }

private:
    std::string_view left_;
    bool ok_ = true;
};

struct ZoneHeader {
    char version = 0;
    std::size_t utc_flags = 0, standard_flags = 0, leaps = 0, changes = 0, types = 0, names = 0;
    std::size_t data_size(std::size_t time_size) const {
        return changes * (time_size + 1) + types * 6 + names + leaps * (time_size + 4) + standard_flags + utc_flags;
    }
};

Result<ZoneHeader> take_header(ZoneBytes& bytes) {
    if (!bytes.left().starts_with("TZif")) return bad_zone("it does not begin with TZif");
    bytes.skip(4);
    ZoneHeader header;
    header.version = static_cast<char>(bytes.take(1));
    bytes.skip(15);
    for (std::size_t* count :
         {&header.utc_flags, &header.standard_flags, &header.leaps, &header.changes, &header.types, &header.names}) {
        const std::int64_t value = bytes.take(4);
        if (!bytes.ok() || value < 0 || value > 1'000'000) return bad_zone("its header is cut off or absurd");
        *count = static_cast<std::size_t>(value);
    }
    return header;
}

// Reads the POSIX form of a rule from left to right.
class RuleReader {
public:
    explicit RuleReader(std::string_view text) : left_(text) {}
    bool at_end() const { return left_.empty(); }
    bool take(char c) {
        if (left_.empty() || left_.front() != c) return false;
        left_.remove_prefix(1);
        return true;
    }
    bool skip_name() {
        const bool quoted = take('<');
        std::size_t size = 0;
        while (size < left_.size() && (quoted ? left_[size] != '>' : is_letter(left_[size]))) ++size;
        left_.remove_prefix(size);
        return size >= 3 && (!quoted || take('>'));
    }
    std::optional<int> take_number() {
        int value = 0;
        std::size_t size = 0;
        while (size < left_.size() && size < 4 && left_[size] >= '0' && left_[size] <= '9')
            value = value * 10 + (left_[size++] - '0');
        left_.remove_prefix(size);
        if (size == 0) return std::nullopt;
        return value;
    }
    // "-1", "5:30", "24:00:00"
    std::optional<std::int32_t> take_seconds() {
        const bool negative = take('-');
        if (!negative) take('+');
        std::int32_t seconds = 0;
        int unit = 3600;
        do {
            const auto part = take_number();
            if (!part || unit == 0) return std::nullopt;
            seconds += *part * unit;
            unit /= 60;
        } while (take(':'));
        return negative ? -seconds : seconds;
    }
    std::optional<YearlyChange> take_change() {
        YearlyChange change;
        std::optional<int> part;
        if (take('M')) {
            for (int* number : {&change.month, &change.week, &change.weekday}) {
                if (number != &change.month && !take('.')) return std::nullopt;
                if (!(part = take_number())) return std::nullopt;
                *number = *part;
            }
            if (change.month < 1 || change.month > 12 || change.week < 1 || change.week > 5 || change.weekday > 6)
                return std::nullopt;
        } else {
            change.day = take('J') ? YearlyChange::Day::kJulian : YearlyChange::Day::kZeroBased;
            if (!(part = take_number())) return std::nullopt;
            change.number = *part;
        }
        if (take('/')) {
            const auto seconds = take_seconds();
            if (!seconds) return std::nullopt;
            change.seconds = *seconds;
        }
        return change;
    }

private:
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    std::string_view left_;
};

sys_days change_day(const YearlyChange& change, std::chrono::year year) {
    const sys_days first = sys_days(year / 1 / 1);
    if (change.day == YearlyChange::Day::kZeroBased) return first + days(change.number);
    if (change.day == YearlyChange::Day::kJulian)
        return first + days(change.number - 1 + (year.is_leap() && change.number >= 60 ? 1 : 0));
    const auto month = year / std::chrono::month(static_cast<unsigned>(change.month));
    const std::chrono::weekday weekday(static_cast<unsigned>(change.weekday));
    if (change.week == 5) return sys_days(month / weekday[std::chrono::last]);
    return sys_days(month / weekday[static_cast<unsigned>(change.week)]);
}

// In UTC, given what the clocks show before the change.
std::int64_t change_seconds(const YearlyChange& change, std::chrono::year year, std::int32_t offset_before) {
    const auto midnight = change_day(change, year).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(midnight).count() + change.seconds - offset_before;
}

}  // namespace

Result<ZoneRule> ZoneRule::parse(std::string_view text) {
    RuleReader reader(text);
    ZoneRule rule;
    if (!reader.skip_name()) return bad_zone("its rule has no name");
    const auto west = reader.take_seconds();
    if (!west) return bad_zone("its rule has no offset");
    rule.standard_offset = rule.summer_offset = -*west;
    if (reader.at_end()) return rule;
    if (!reader.skip_name()) return bad_zone("its rule's summer time has no name");
    rule.summer_offset = rule.standard_offset + 3600;
    if (!reader.take(',')) {
        const auto summer_west = reader.take_seconds();
        if (!summer_west || !reader.take(',')) return bad_zone("its rule's summer time has no days");
        rule.summer_offset = -*summer_west;
    }
    rule.begins = reader.take_change();
    if (rule.begins && reader.take(',')) rule.ends = reader.take_change();
    if (!rule.ends || !reader.at_end()) return bad_zone("its rule's days cannot be read");
    return rule;
}

std::int32_t ZoneRule::offset_at(std::int64_t unix_seconds) const {
    if (!begins || !ends) return standard_offset;
    const auto day =
        std::chrono::floor<days>(std::chrono::sys_seconds(std::chrono::seconds(unix_seconds + standard_offset)));
    const auto year = std::chrono::year_month_day(day).year();
    const std::int64_t start = change_seconds(*begins, year, standard_offset);
    const std::int64_t end = change_seconds(*ends, year, summer_offset);
    // In the south summer runs over the turn of the year.
    const bool summer =
        start < end ? start <= unix_seconds && unix_seconds < end : unix_seconds >= start || unix_seconds < end;
    return summer ? summer_offset : standard_offset;
}

Result<TimeZone> TimeZone::parse(std::string_view tzif) {
    ZoneBytes bytes(tzif);
    TRY_ASSIGN(ZoneHeader header, take_header(bytes));
    std::size_t time_size = 4;
    if (header.version != 0) {  // the same again follows with longer times, and then the rule
        bytes.skip(header.data_size(4));
        TRY_ASSIGN(header, take_header(bytes));
        time_size = 8;
    }
    std::vector<std::int64_t> times(header.changes);
    for (std::int64_t& at : times) at = bytes.take(time_size);
    std::vector<std::size_t> types(header.changes);
    for (std::size_t& type : types) type = static_cast<std::size_t>(bytes.take(1));
    std::vector<std::int32_t> offsets(header.types);
    for (std::int32_t& offset : offsets) {
        offset = static_cast<std::int32_t>(bytes.take(4));
        bytes.skip(2);
    }
    bytes.skip(header.names + header.leaps * (time_size + 4) + header.standard_flags + header.utc_flags);
    if (!bytes.ok() || offsets.empty()) return bad_zone("it is cut off");

    TimeZone zone;
    zone.first_offset_ = offsets[0];
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (types[i] >= offsets.size() || (i > 0 && times[i] < times[i - 1])) return bad_zone("its changes are wrong");
        zone.changes_.push_back({times[i], offsets[types[i]]});
    }
    std::string_view footer = bytes.left();
    if (time_size == 8 && footer.size() > 2 && footer.front() == '\n') {
        footer.remove_prefix(1);
        TRY_ASSIGN(zone.rule_, ZoneRule::parse(footer.substr(0, footer.find('\n'))));
    }
    return zone;
}

std::int32_t TimeZone::offset_at(Instant instant) const {
    const std::int64_t seconds = instant.unix_seconds();
    const auto after = std::upper_bound(changes_.begin(), changes_.end(), seconds,
                                        [](std::int64_t at, const Change& change) { return at < change.at; });
    if (after == changes_.end() && rule_) return rule_->offset_at(seconds);
    return after == changes_.begin() ? first_offset_ : (after - 1)->offset;
}

}  // namespace muster::controllers
