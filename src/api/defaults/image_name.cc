// Which tag an image names: [domain/]path[:tag][@digest].
#include <algorithm>
#include <cctype>

#include "api/defaults/pod.h"

namespace muster::api {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_tag(std::string_view tag) {
    if (tag.empty() || tag.size() > 128 || tag.front() == '.' || tag.front() == '-') return false;
    return std::all_of(tag.begin(), tag.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '-'; });
}

// Small letters and digits, separated by '.', '_', '__' or any number of '-'.
bool is_component(std::string_view text) {
    if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) return false;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (!is_lower_or_digit(text[end])) ++end;
        const std::string_view separator = text.substr(i, end - i);
        const bool dashes = separator.find_first_not_of('-') == std::string_view::npos;
        if (!dashes && separator != "." && separator != "_" && separator != "__") return false;
        i = end + 1;
    }
    return true;
}

bool is_domain(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
    });
}

// The first part is a domain when it looks like one; docker.io stands for all others.
bool is_repository(std::string_view name) {
    const std::size_t slash = name.find('/');
    const std::string_view first = name.substr(0, slash);
    const bool has_upper = std::any_of(first.begin(), first.end(), [](unsigned char c) { return std::isupper(c); });
    if (slash != std::string_view::npos &&
        (first.find_first_of(".:") != std::string_view::npos || first == "localhost" || has_upper)) {
        if (!is_domain(first)) return false;
        name.remove_prefix(slash + 1);
    }
    while (true) {
        const std::size_t end = name.find('/');
        if (!is_component(name.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        name.remove_prefix(end + 1);
    }
}

}  // namespace

bool is_latest_image(std::string_view image) {
    const std::size_t at = image.find('@');
    const bool has_digest = at != std::string_view::npos;
    const std::string_view named = image.substr(0, at);
    const std::size_t slash = named.rfind('/');
    const std::size_t colon = named.find(':', slash == std::string_view::npos ? 0 : slash);
    if (!is_repository(named.substr(0, colon))) return false;
    if (colon == std::string_view::npos) return !has_digest;
    const std::string_view tag = named.substr(colon + 1);
    return is_tag(tag) && tag == "latest";
}

}  // namespace muster::api
