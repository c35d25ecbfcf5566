#include "os/log/log_format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace muster::os {
namespace {

constexpr std::string_view kCut = "…";

// How many bytes the UTF-8 character at the beginning has; 0 when it is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Longer than needed, a half of a pair, or beyond the last one.
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return length;
}

std::string_view escape_of(char c) {
    switch (c) {
        case '"': return "\\\"";
        case '\\': return "\\\\";
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\t': return "\\t";
        default: return {};
    }
}

void append_hex(std::string& out, const char* form, unsigned char byte) {
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), form, byte);
    out += digits.data();
}

// In quotes. Bytes that are no UTF-8 and other control characters are written by `odd`.
template <class Odd>
void append_quoted(std::string& out, std::string_view text, Odd odd) {
    out += '"';
    const std::size_t end = out.size() + kLogValueMax;
    while (!text.empty()) {
        if (out.size() >= end) {
            out += kCut;
            break;
        }
        const std::string_view escape = escape_of(text.front());
        const std::size_t length = utf8_length(text);
        const auto byte = static_cast<unsigned char>(text.front());
        if (!escape.empty())
            out += escape;
        else if (length == 0 || byte < 0x20 || byte == 0x7f)
            odd(out, byte);
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    out += '"';
}

// As Go's strconv.Quote does it.
void append_go_quoted(std::string& out, std::string_view text) {
    append_quoted(out, text, [](std::string& to, unsigned char byte) { append_hex(to, "\\x%02x", byte); });
}

void append_number(std::string& out, auto number) {
    std::array<char, 32> digits{};
    const auto [end, code] = std::to_chars(digits.begin(), digits.end(), number);
    out.append(digits.data(), end);
}

void append_text(std::string& out, const LogValue& value) {
    std::visit(
        [&out](const auto& held) {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::string>)
                append_go_quoted(out, held);
            else if constexpr (std::is_same_v<T, bool>)
                out += held ? "true" : "false";
            else if constexpr (std::is_same_v<T, LogObject>)
                append_go_quoted(out, held.namespace_.empty() ? held.name : held.namespace_ + '/' + held.name);
            else
                append_number(out, held);
        },
        value.held());
}

char letter_of(LogLevel level) {
    switch (level) {
        case LogLevel::kWarning: return 'W';
        case LogLevel::kError: return 'E';
        case LogLevel::kInfo: break;
    }
    return 'I';
}

const char* word_of(LogLevel level) {
    switch (level) {
        case LogLevel::kWarning: return "warning";
        case LogLevel::kError: return "error";
        case LogLevel::kInfo: break;
    }
    return "info";
}

std::string format_header(LogLevel level, const LogMoment& moment) {
    using namespace std::chrono;
    const auto local = duration_cast<microseconds>((moment.at + moment.zone).since_epoch());
    const auto day = floor<days>(local);
    const year_month_day date{sys_days(day)};
    const hh_mm_ss time(local - day);
    std::array<char, 64> header{};
    std::snprintf(header.data(), header.size(), "%c%02u%02u %02d:%02d:%02d.%06d %7d ", letter_of(level),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()),
                  moment.process);
    return header.data();
}

}  // namespace

Result<LogFormat> parse_log_format(std::string_view text) {
    if (text == "text") return LogFormat::kText;
    if (text == "json") return LogFormat::kJson;
    return Error{Code::kBadRequest, "--log-format is text or json, not \"" + std::string(text) + "\""};
}

std::string_view short_path(std::string_view file) {
    const std::size_t name = file.rfind('/');
    if (name == std::string_view::npos || name == 0) return file;
    const std::size_t folder = file.rfind('/', name - 1);
    return folder == std::string_view::npos ? file : file.substr(folder + 1);
}

std::string format_span(Duration span) {
    if (span == Duration()) return "0s";
    std::string out = span < Duration() ? "-" : "";
    const double nanoseconds = std::abs(static_cast<double>(span.count()));
    const auto with_unit = [&](double amount, const char* unit) {
        append_number(out, amount);
        return out + unit;
    };
    if (nanoseconds < 1e3) return with_unit(nanoseconds, "ns");
    if (nanoseconds < 1e6) return with_unit(nanoseconds / 1e3, "µs");
    if (nanoseconds < 1e9) return with_unit(nanoseconds / 1e6, "ms");
    const auto minutes = static_cast<std::int64_t>(nanoseconds / 60e9);
    if (minutes >= 60) out += std::to_string(minutes / 60) + 'h';
    if (minutes >= 1) out += std::to_string(minutes % 60) + 'm';
    const std::int64_t rest = std::abs(span.count() % 60'000'000'000);
    return with_unit(static_cast<double>(rest) / 1e9, "s");
}

void append_json_text(std::string& out, std::string_view text) {
    append_quoted(out, text, [](std::string& to, unsigned char byte) {
        if (byte >= 0x80)
            to += "\\ufffd";
        else
            append_hex(to, "\\u%04x", byte);
    });
}

void append_json(std::string& out, const LogValue& value) {
    std::visit(
        [&out](const auto& held) {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::string>) {
                append_json_text(out, std::string_view(held));
            } else if constexpr (std::is_same_v<T, bool>) {
                out += held ? "true" : "false";
            } else if constexpr (std::is_same_v<T, LogObject>) {
                out += "{\"name\":";
                append_json_text(out, std::string_view(held.name));
                if (!held.namespace_.empty()) {
                    out += ",\"namespace\":";
                    append_json_text(out, std::string_view(held.namespace_));
                }
                out += '}';
            } else if constexpr (std::is_same_v<T, double>) {
                // JSON has no infinity.
                if (std::isfinite(held))
                    append_number(out, held);
                else
                    out += "null";
            } else {
                append_number(out, held);
            }
        },
        value.held());
}

void append_json_object(std::string& out, std::span<const LogField> fields) {
    out += '{';
    for (const LogField& field : fields) {
        if (&field != fields.data()) out += ',';
        append_json_text(out, field.key);
        out += ':';
        append_json(out, field.value);
    }
    out += '}';
}

std::string format_log_text(const LogRecord& record, const LogMoment& moment) {
    std::string out = format_header(record.level, moment);
    out.append(short_path(record.site->file)).append(":");
    append_number(out, record.site->line);
    out += "] ";
    append_go_quoted(out, record.message);
    for (const LogField& field : record.fields) {
        out.append(" ").append(field.key).append("=");
        append_text(out, field.value);
    }
    return out;
}

std::string format_log_json(const LogRecord& record, const LogMoment& moment) {
    std::array<char, 48> time{};
    const std::int64_t nanoseconds = moment.at.since_epoch().count();
    std::snprintf(time.data(), time.size(), "{\"ts\":%.3f", static_cast<double>(nanoseconds) / 1e6);
    std::string out = time.data();
    out.append(",\"level\":\"").append(word_of(record.level)).append("\",\"caller\":");
    append_json_text(out, std::string(short_path(record.site->file)) + ':' + std::to_string(record.site->line));
    out += ",\"msg\":";
    append_json_text(out, record.message);
    if (record.level == LogLevel::kInfo) {
        out += ",\"v\":";
        append_number(out, record.verbosity);
    }
    for (const LogField& field : record.fields) {
        out += ',';
        append_json_text(out, field.key);
        out += ':';
        append_json(out, field.value);
    }
    out += '}';
    return out;
}

}  // namespace muster::os
