#include "api/testing/story.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/patch/json_dom.h"
#include "base/check.h"

namespace muster::api {
namespace {

namespace json = boost::json;

// What must differ from server to server and from run to run.
constexpr std::array<std::string_view, 11> kLeftOut = {"uid",
                                                       "resourceVersion",
                                                       "creationTimestamp",
                                                       "managedFields",
                                                       "selfLink",
                                                       "deletionTimestamp",
                                                       "lastTransitionTime",
                                                       "continue",
                                                       "remainingItemCount",
                                                       "startTime",
                                                       "storageVersionHash"};
constexpr std::array<std::string_view, 8> kLeftOutWhenEmpty = {
    "annotations", "labels",         "matchLabels", "selector", "status", "uncountedTerminatedPods",
    "metadata",    "ownerReferences"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// 8-4-4-4-12 hexadecimal digits.
bool is_uid_at(std::string_view text, std::size_t at) {
    constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.size() - at < kShape.size()) return false;
    for (std::size_t i = 0; i < kShape.size(); ++i) {
        const char c = text[at + i];
        const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (kShape[i] == '-' ? c != '-' : !digit) return false;
    }
    return true;
}

std::string clean_text(std::string_view text) {
    constexpr std::size_t kUidSize = 36;
    constexpr std::size_t kRandomSize = 5;
    if (text.starts_with("gen-") && text.size() == 4 + kRandomSize) return "gen-<random>";
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const bool uid = is_uid_at(text, i);
        out += uid ? std::string_view("<uid>") : text.substr(i, 1);
        i += uid ? kUidSize : 1;
    }
    return out;
}

bool is_nothing(const json::value& value) {
    return value.is_null() || (value.is_object() && value.get_object().empty()) ||
           (value.is_array() && value.get_array().empty());
}

// With members in the order of their names, so that equal documents print alike.
json::value clean(const json::value& value) {
    if (value.is_string()) return json::value(clean_text(value.get_string()));
    if (value.is_array()) {
        json::array elements;
        for (const json::value& element : value.get_array()) elements.push_back(clean(element));
        return elements;
    }
    if (!value.is_object()) return value;
    std::vector<std::string_view> names;
    for (const auto& member : value.get_object()) names.push_back(member.key());
    std::sort(names.begin(), names.end());
    json::object members;
    for (const std::string_view name : names) {
        if (contains(kLeftOut, name)) continue;
        json::value member = clean(value.get_object().at(name));
        if (is_nothing(member) && contains(kLeftOutWhenEmpty, name)) continue;
        members[name] = std::move(member);
    }
    return members;
}

std::string text_at(const json::value& document, std::string_view name) {
    const json::object* object = document.if_object();
    const json::value* member = object ? object->if_contains(name) : nullptr;
    return member && member->is_string() ? std::string(member->get_string()) : "";
}

std::string print_causes(const json::value& status) {
    std::vector<std::string> lines;
    const json::object* object = status.if_object();
    const json::value* details = object ? object->if_contains("details") : nullptr;
    const json::value* causes = details && details->is_object() ? details->get_object().if_contains("causes") : nullptr;
    if (causes && causes->is_array())
        for (const json::value& cause : causes->get_array())
            lines.push_back(text_at(cause, "field") + " " + text_at(cause, "reason"));
    std::sort(lines.begin(), lines.end());
    std::string out = text_at(status, "reason");
    for (const std::string& line : lines) out += "; " + line;
    return out;
}

std::string difference(const std::string& got, const std::string& recorded) {
    return got == recorded ? "" : "got      " + got + "\n        recorded " + recorded;
}

bool is_failure(const json::value& document) {
    return text_at(document, "kind") == "Status" && text_at(document, "status") == "Failure";
}

}  // namespace

// A body that was no UTF-8 is recorded with each byte as the character of that number.
static std::string to_bytes(std::string_view recorded) {
    std::string bytes;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        const auto lead = static_cast<unsigned char>(recorded[i]);
        if (lead < 0x80) {
            bytes += recorded[i];
        } else {
            bytes += static_cast<char>((lead & 0x03u) << 6 | (static_cast<unsigned char>(recorded[++i]) & 0x3fu));
        }
    }
    return bytes;
}

Story parse_story(std::string_view line) {
    const json::value document = json::parse(line);
    Story story{text_at(document, "family"), text_at(document, "story"), text_at(document, "namespace"), {}};
    for (const json::value& recorded : document.at("steps").as_array()) {
        const json::object& object = recorded.as_object();
        StoryStep step{text_at(recorded, "verb"),        text_at(recorded, "path"),
                       text_at(recorded, "contentType"), "",
                       text_at(recorded, "accept"),      {}};
        const json::value* raw = object.if_contains("raw");
        if (const json::value* body = object.if_contains("body")) {
            const bool verbatim = raw && raw->is_bool() && raw->get_bool() && body->is_string();
            step.body = verbatim ? to_bytes(std::string_view(body->get_string())) : format_dom(*body);
        }
        step.recorded = {static_cast<int>(object.at("status").as_int64()), object.at("answer")};
        story.steps.push_back(std::move(step));
    }
    CHECK(!story.family.empty() && !story.steps.empty());
    return story;
}

StoryDifference compare_answers(const StoryAnswer& got, const StoryAnswer& recorded) {
    StoryDifference found;
    found.code = difference(std::to_string(got.code), std::to_string(recorded.code));
    if (is_failure(recorded.body)) {
        found.cause = difference(print_causes(got.body), print_causes(recorded.body));
        found.message =
            difference(clean_text(text_at(got.body, "message")), clean_text(text_at(recorded.body, "message")));
    } else {
        found.object = difference(json::serialize(clean(got.body)), json::serialize(clean(recorded.body)));
    }
    return found;
}

}  // namespace muster::api
