#include "cli/client/describe_text.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <vector>

#include "api/value/time.h"
#include "cli/text/align.h"
#include "cli/text/document.h"
#include "server/table/span_text.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

// "podFailurePolicy" → "Pod Failure Policy"
std::string spaced(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool upper = name[i] >= 'A' && name[i] <= 'Z';
        const bool after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
        if (upper && after_lower) out += ' ';
        out += i == 0 && name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
    }
    return out;
}

// Maps whose keys are chosen by users, not names of API fields.
bool holds_names_of_users(std::string_view field) {
    static constexpr std::string_view kMaps[] = {"data",        "binaryData",   "labels",   "annotations",
                                                 "matchLabels", "hard",         "used",     "requests",
                                                 "limits",      "nodeSelector", "capacity", "allocatable"};
    return std::ranges::find(kMaps, field) != std::end(kMaps);
}

// What base64 text stands for has three bytes for four characters, less the padding.
std::size_t decoded_size(std::string_view base64) {
    while (base64.ends_with('=')) base64.remove_suffix(1);
    return base64.size() * 3 / 4;
}

std::string plain(const json::value& value) {
    return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

std::vector<std::pair<std::string, std::string>> sorted_pairs(const json::object& map) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& member : map) out.emplace_back(member.key(), plain(member.value()));
    std::ranges::sort(out);
    return out;
}

}  // namespace

void DescribeText::line(int level, std::string_view text) {
    text_.append(static_cast<std::size_t>(level) * 2, ' ').append(text).append("\n");
}

void DescribeText::field(int level, std::string_view name, std::string_view value, std::string_view nothing) {
    std::string out(name);
    line(level, out.append(":\t").append(value.empty() ? nothing : value));
}

void DescribeText::field_at(int level, std::string_view name, const json::value& object, std::string_view pointer,
                            std::string_view nothing) {
    field(level, name, text_at(object, pointer), nothing);
}

void DescribeText::optional_at(int level, std::string_view name, const json::value& object, std::string_view pointer) {
    const std::string value = text_at(object, pointer);
    if (!value.empty()) field(level, name, value);
}

void DescribeText::pairs(int level, std::string_view name, const json::value* map, std::string_view separator) {
    const json::object* object = map ? map->if_object() : nullptr;
    std::string head = std::string(name) + ":";
    bool any = false;
    if (object) {
        for (const auto& [key, value] : sorted_pairs(*object)) {
            if (key == "kubectl.kubernetes.io/last-applied-configuration") continue;
            std::string shown = value.substr(0, value.find('\n'));
            line(level, head + "\t" + key + std::string(separator) + shown);
            head.clear();
            any = true;
        }
    }
    if (!any) line(level, head + "\t<none>");
}

void DescribeText::tree(int level, const json::value& value, bool names_are_theirs) {
    if (const json::object* object = value.if_object()) {
        std::vector<const json::key_value_pair*> members;
        for (const auto& member : *object) members.push_back(&member);
        std::ranges::sort(members, [](const auto* left, const auto* right) { return left->key() < right->key(); });
        for (const auto* member : members) {
            const json::value& inner = member->value();
            const std::string name = names_are_theirs ? std::string(member->key()) : spaced(member->key());
            if (inner.is_object() || inner.is_array()) {
                line(level, name + ":");
                tree(level + 1, inner, holds_names_of_users(member->key()));
            } else {
                text_lines(level, name, plain(inner));
            }
        }
    } else if (const json::array* array = value.if_array()) {
        for (const json::value& item : *array) tree(level, item);
    } else {
        line(level, plain(value));
    }
}

// A text of several lines stands below its name.
void DescribeText::text_lines(int level, const std::string& name, std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    if (text.find('\n') == std::string_view::npos) return line(level, name + ":\t" + std::string(text));
    line(level, name + ":");
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        line(end == 0 ? 0 : level + 1, text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void DescribeText::metadata(const json::value& object) {
    field_at(0, "Name", object, "/metadata/name");
    if (const std::string space = text_at(object, "/metadata/namespace"); !space.empty()) field(0, "Namespace", space);
}

std::string DescribeText::time_text(std::string_view time) {
    static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const Result<api::Time> parsed = api::Time::parse(time);
    if (!parsed.ok() || parsed->is_null()) return "";
    const std::chrono::sys_seconds at{std::chrono::seconds(parsed->unix_seconds())};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(at - day);
    char out[64];
    std::snprintf(out, sizeof out, "%s, %02u %s %d %02d:%02d:%02d +0000", kDays[std::chrono::weekday(day).c_encoding()],
                  static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                  static_cast<int>(date.year()), static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
    return out;
}

std::string DescribeText::aligned() const { return align_columns(text_, 2); }

std::string age_text(std::string_view time, Instant now) {
    const Result<api::Time> parsed = api::Time::parse(time);
    if (!parsed.ok() || parsed->is_null()) return "<unknown>";
    return server::format_span(now - parsed->instant());
}

void describe_any(DescribeText& text, const json::value& object) {
    text.metadata(object);
    text.pairs(0, "Labels", find_at(object, "/metadata/labels"));
    text.pairs(0, "Annotations", find_at(object, "/metadata/annotations"), ": ");
    text.field_at(0, "API Version", object, "/apiVersion");
    text.field_at(0, "Kind", object, "/kind");
    json::object rest = object.as_object();
    for (const char* told : {"apiVersion", "kind", "metadata"}) rest.erase(told);
    // Of a Secret's values only the sizes are shown.
    if (text_at(object, "/kind") == "Secret") {
        if (json::value* data = rest.if_contains("data"); data && data->is_object())
            for (auto& member : data->as_object())
                member.value() = std::to_string(decoded_size(plain(member.value()))) + " bytes";
        rest.erase("stringData");
    }
    json::object metadata;
    for (const char* name : {"creationTimestamp", "deletionTimestamp", "generation", "ownerReferences", "finalizers",
                             "resourceVersion", "uid"})
        if (const json::value* found = find_at(object, std::string("/metadata/") + name)) metadata[name] = *found;
    rest["metadata"] = std::move(metadata);
    text.tree(0, rest);
}

void describe_events(DescribeText& text, const json::value& events, Instant now) {
    const json::value* items = find_at(events, "/items");
    if (!items || !items->is_array() || items->as_array().empty()) {
        text.line(0, "Events:\t<none>");
        return;
    }
    const auto last_seen = [](const json::value& event) {
        for (const char* pointer : {"/series/lastObservedTime", "/lastTimestamp", "/eventTime"})
            if (std::string time = text_at(event, pointer); !time.empty()) return time;
        return text_at(event, "/metadata/creationTimestamp");
    };
    std::vector<const json::value*> sorted;
    for (const json::value& event : items->as_array()) sorted.push_back(&event);
    std::ranges::stable_sort(sorted,
                             [&](const auto* left, const auto* right) { return last_seen(*left) < last_seen(*right); });
    text.line(0, "Events:");
    text.line(1, "Type\tReason\tAge\tFrom\tMessage");
    text.line(1, "----\t------\t----\t----\t-------");
    for (const json::value* event : sorted) {
        std::string age = age_text(last_seen(*event), now);
        const std::string count =
            text_at(*event, "/series/count").empty() ? text_at(*event, "/count") : text_at(*event, "/series/count");
        if (!count.empty() && count != "0" && count != "1")
            age += " (x" + count + " over " + age_text(text_at(*event, "/firstTimestamp"), now) + ")";
        std::string from = text_at(*event, "/source/component");
        if (from.empty()) from = text_at(*event, "/reportingComponent");
        std::string message = text_at(*event, "/message");
        std::ranges::replace(message, '\n', ' ');
        text.line(1, text_at(*event, "/type") + "\t" + text_at(*event, "/reason") + "\t" + age + "\t" + from + "\t" +
                         message);
    }
}

}  // namespace muster::cli
