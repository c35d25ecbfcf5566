#include "sim/world/settings.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace muster::sim {
namespace {

Result<std::int64_t> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || code != std::errc() || end != text.data() + text.size())
        return Error{Code::kBadRequest, "not a number: \"" + std::string(text) + '"'};
    return number;
}

std::string format_span(Duration span) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) + "ms";
}

struct Range {
    std::string_view first;
    std::string_view last;
};

// Spans keep their range when the key says that they are drawn again and again.
bool is_drawn_often(std::string_view key) { return key == "every" || key == "span" || key == "for"; }

Range range_of(std::string_view value) {
    const std::size_t dots = value.find("..");
    if (dots == std::string_view::npos) return {value, value};
    return {value.substr(0, dots), value.substr(dots + 2)};
}

std::string draw_value(std::string_view value, Prng& random) {
    if (value.find('|') != std::string_view::npos) {
        std::vector<std::string> choices;
        while (!value.empty()) {
            const std::size_t bar = value.find('|');
            choices.emplace_back(value.substr(0, bar));
            value = bar == std::string_view::npos ? std::string_view() : value.substr(bar + 1);
        }
        return random.pick(choices);
    }
    const Range range = range_of(value);
    if (range.first == range.last) return std::string(value);
    const auto first = parse_number(range.first);
    const auto last = parse_number(range.last);
    if (first.ok() && last.ok()) return std::to_string(random.between(*first, *last));
    const Duration least = parse_span(range.first).value();
    const Duration most = parse_span(range.last).value();
    return format_span(Duration(random.between(least.count(), most.count())));
}

}  // namespace

Result<Duration> parse_span(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (code == std::errc()) {
        if (unit == "us") return Duration(std::chrono::microseconds(count));
        if (unit == "ms") return Duration(std::chrono::milliseconds(count));
        if (unit == "s") return Duration(std::chrono::seconds(count));
        if (unit == "m") return Duration(std::chrono::minutes(count));
        if (unit == "h") return Duration(std::chrono::hours(count));
    }
    return Error{Code::kBadRequest, "not a span of time: \"" + std::string(text) + '"'};
}

Result<Settings> Settings::parse(std::string_view words) {
    Settings settings;
    while (!words.empty()) {
        const std::size_t space = words.find(' ');
        const std::string_view word = words.substr(0, space);
        words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
        if (word.empty()) continue;
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos)
            return Error{Code::kBadRequest, "expected key=value, not \"" + std::string(word) + '"'};
        settings.values_[std::string(word.substr(0, equals))] = std::string(word.substr(equals + 1));
    }
    return settings;
}

Result<> Settings::declare(std::span<const std::string_view> keys) {
    declared_ = keys;
    for (const auto& [key, value] : values_) {
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
        std::string message = "there is no setting \"" + key + "\" here; there " + (keys.size() == 1 ? "is" : "are");
        if (keys.empty()) message += " none";
        for (std::size_t i = 0; i < keys.size(); ++i) message.append(i == 0 ? " " : ", ").append(keys[i]);
        return Error{Code::kBadRequest, message};
    }
    return {};
}

Settings::Values::const_iterator Settings::find(std::string_view key) const {
    CHECK(declared_.empty() || std::find(declared_.begin(), declared_.end(), key) != declared_.end(),
          "a setting that is not declared: " + std::string(key));
    return values_.find(key);
}

Settings Settings::draw(Prng& random) const {
    Settings drawn;
    drawn.declared_ = declared_;
    for (const auto& [key, value] : values_)
        drawn.values_[key] = is_drawn_often(key) ? value : draw_value(value, random);
    return drawn;
}

std::int64_t Settings::number(std::string_view key, std::int64_t otherwise) const {
    const auto found = find(key);
    return found == values_.end() ? otherwise : parse_number(found->second).value();
}

Duration Settings::span(std::string_view key, Duration otherwise) const {
    const auto found = find(key);
    return found == values_.end() ? otherwise : parse_span(found->second).value();
}

std::string Settings::text(std::string_view key, std::string_view otherwise) const {
    const auto found = find(key);
    return found == values_.end() ? std::string(otherwise) : found->second;
}

Duration Settings::span_between(std::string_view key, Duration least, Duration most, Prng& random) const {
    const auto found = find(key);
    if (found != values_.end()) {
        const Range range = range_of(found->second);
        least = parse_span(range.first).value();
        most = parse_span(range.last).value();
    }
    return Duration(random.between(least.count(), most.count()));
}

std::string Settings::format() const {
    std::string out;
    for (const auto& [key, value] : values_) out += (out.empty() ? "" : " ") + key + '=' + value;
    return out;
}

}  // namespace muster::sim
