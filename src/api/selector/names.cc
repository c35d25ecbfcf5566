#include "api/selector/names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "base/ascii.h"

namespace muster::api {
namespace {

bool is_lower_or_digit(char c) { return is_lower(c) || is_digit(c); }

template <class Predicate>
bool all(std::string_view text, Predicate predicate) {
    return std::all_of(text.begin(), text.end(), predicate);
}

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool matches_dns1123_label(std::string_view text) {
    return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
           all(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

// _?[a-z0-9]([-_a-z0-9]*[a-z0-9])?
bool matches_underscore_label(std::string_view text) {
    if (text.starts_with('_')) text.remove_prefix(1);
    return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
           all(text, [](char c) { return is_lower_or_digit(c) || c == '-' || c == '_'; });
}

// label(\.label)*
bool matches_dotted(std::string_view text, bool (*matches_label)(std::string_view)) {
    while (true) {
        const std::size_t dot = text.find('.');
        if (!matches_label(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

bool matches_dns1123_subdomain(std::string_view text) { return matches_dotted(text, matches_dns1123_label); }

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool matches_qualified_part(std::string_view text) {
    return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           all(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr const char* kLabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr const char* kSubdomainRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr const char* kQualifiedRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr const char* kQualifiedRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

std::string regex_sentence(std::string_view rule, std::string_view regex,
                           std::initializer_list<std::string_view> examples) {
    std::string out(rule);
    out += " (";
    bool first = true;
    for (const std::string_view example : examples) {
        out += first ? "e.g. '" : " or '";
        out.append(example) += "', ";
        first = false;
    }
    out += "regex used for validation is '";
    out.append(regex) += "')";
    return out;
}

std::string qualified_sentence() {
    return regex_sentence(kQualifiedRule, kQualifiedRegex, {"MyName", "my.name", "123-abc"});
}

void add_if_longer(Problems& problems, std::string_view value, std::size_t max) {
    if (value.size() > max) problems.push_back(max_length_sentence(max));
}

// A key becomes a file's name in a volume, so it must not climb out of its directory.
void add_if_climbing(Problems& problems, std::string_view value) {
    if (value == ".") {
        problems.emplace_back("must not be '.'");
    } else if (value == "..") {
        problems.emplace_back("must not be '..'");
    } else if (value.starts_with("..")) {
        problems.emplace_back("must not start with '..'");
    }
}

struct Address {
    bool valid = false;
    bool leading_zeros = false;
    bool mapped = false;  // ::ffff:a.b.c.d
};

Address parse_ipv4(std::string_view text) {
    Address address;
    for (int part = 0; part < 4; ++part) {
        const std::size_t dot = text.find('.');
        if ((part < 3) == (dot == std::string_view::npos)) return {};
        const std::string_view digits = text.substr(0, dot);
        if (digits.empty() || !all(digits, is_digit)) return {};
        int number = 0;
        for (const char c : digits) number = std::min(number * 10 + (c - '0'), 256);
        if (number > 255) return {};
        if (digits.size() > 1 && digits[0] == '0') address.leading_zeros = true;
        text.remove_prefix(part < 3 ? dot + 1 : text.size());
    }
    address.valid = true;
    return address;
}

// One group of hex digits from the front; -1 when there is none or it is too large.
int take_hex_group(std::string_view& text) {
    int number = 0;
    std::size_t size = 0;
    for (; size < text.size(); ++size) {
        const char c = text[size];
        const int digit = is_digit(c)              ? c - '0'
                          : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                          : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                                   : -1;
        if (digit < 0) break;
        number = number * 16 + digit;
        if (size >= 4) return -1;
    }
    text.remove_prefix(size);
    return size == 0 ? -1 : number;
}

struct Groups {
    std::array<int, 8> values{};
    int count = 0;
    int gap = -1;  // where :: stands
};

bool is_mapped(const Groups& groups) {
    std::array<int, 8> whole{};
    for (int i = 0; i < groups.count; ++i) {
        const bool after_gap = groups.gap >= 0 && i >= groups.gap;
        whole[static_cast<std::size_t>(after_gap ? 8 - groups.count + i : i)] =
            groups.values[static_cast<std::size_t>(i)];
    }
    return std::all_of(whole.begin(), whole.begin() + 5, [](int group) { return group == 0; }) && whole[5] == 0xffff;
}

Address parse_ipv6(std::string_view text) {
    Address address;
    Groups groups;
    if (text.starts_with("::")) {
        groups.gap = 0;
        text.remove_prefix(2);
        if (text.empty()) return {.valid = true};
    }
    while (groups.count < 8) {
        const std::string_view before = text;
        const int group = take_hex_group(text);
        if (!text.empty() && text[0] == '.') {
            // An IPv4 address may stand for the last two groups.
            const Address tail = parse_ipv4(before);
            if (!tail.valid || groups.count > 6) return {};
            address.leading_zeros = tail.leading_zeros;
            groups.count += 2;
            text = {};
            break;
        }
        if (group < 0) return {};
        groups.values[static_cast<std::size_t>(groups.count++)] = group;
        if (text.empty()) break;
        if (text[0] != ':' || text.size() == 1) return {};
        text.remove_prefix(1);
        if (text[0] != ':') continue;
        if (groups.gap >= 0) return {};
        groups.gap = groups.count;
        text.remove_prefix(1);
        if (text.empty()) break;
    }
    if (!text.empty() || (groups.count < 8) != (groups.gap >= 0)) return {};
    address.valid = true;
    address.mapped = is_mapped(groups);
    return address;
}

}  // namespace

std::string max_length_sentence(std::size_t length) {
    return "must be no more than " + std::to_string(length) + " characters";
}

std::string range_sentence(std::int64_t low, std::int64_t high) {
    return "must be between " + std::to_string(low) + " and " + std::to_string(high) + ", inclusive";
}

Problems is_dns1123_label(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kDnsLabelMax);
    if (matches_dns1123_label(value)) return problems;
    if (matches_dns1123_subdomain(value)) {
        problems.emplace_back("must not contain dots");
    } else {
        problems.push_back(regex_sentence(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
            "end with an alphanumeric character",
            kLabelRegex, {"my-name", "123-abc"}));
    }
    return problems;
}

Problems is_dns1123_subdomain(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kDnsSubdomainMax);
    if (!matches_dns1123_subdomain(value))
        problems.push_back(regex_sentence(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character",
            kSubdomainRegex, {"example.com"}));
    return problems;
}

Problems is_dns1123_subdomain_with_underscore(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kDnsSubdomainMax);
    if (!matches_dotted(value, matches_underscore_label))
        problems.push_back(regex_sentence(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and "
            "must start and end with an alphanumeric character",
            "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", {"example.com"}));
    return problems;
}

Problems is_dns1035_label(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kDnsLabelMax);
    if (!matches_dns1123_label(value) || !is_lower(value.front()))
        problems.push_back(regex_sentence(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
            "character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
    return problems;
}

Problems is_qualified_name(std::string_view value) {
    Problems problems;
    const std::size_t slash = value.find('/');
    std::string_view name = value;
    if (slash != std::string_view::npos) {
        const std::string_view prefix = value.substr(0, slash);
        name = value.substr(slash + 1);
        if (name.find('/') != std::string_view::npos)
            return {"a valid label key " + qualified_sentence() +
                    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
        if (prefix.empty()) {
            problems.push_back(std::string("prefix part ") + kNonEmptySentence);
        } else {
            for (const std::string& problem : is_dns1123_subdomain(prefix))
                problems.push_back("prefix part " + problem);
        }
    }
    if (name.empty()) {
        problems.push_back(std::string("name part ") + kNonEmptySentence);
    } else if (name.size() > kLabelValueMax) {
        problems.push_back("name part " + max_length_sentence(kLabelValueMax));
    }
    if (!matches_qualified_part(name)) problems.push_back("name part " + qualified_sentence());
    return problems;
}

Problems is_label_value(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kLabelValueMax);
    if (!value.empty() && !matches_qualified_part(value))
        problems.push_back(regex_sentence(
            std::string("a valid label must be an empty string or ") + (kQualifiedRule + sizeof("must ") - 1),
            std::string("(") + kQualifiedRegex + ")?", {"MyValue", "my_value", "12345"}));
    return problems;
}

Problems is_env_var_name(std::string_view value) {
    if (value.empty()) return {std::string("environment variable name ") + kNonEmptySentence};
    if (all(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
    return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Problems is_config_map_key(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kDnsSubdomainMax);
    if (value.empty() || !all(value, [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; }))
        problems.push_back(regex_sentence("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                                          "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
    add_if_climbing(problems, value);
    return problems;
}

Problems is_port_name(std::string_view value) {
    Problems problems;
    add_if_longer(problems, value, kPortNameMax);
    if (value.empty() || !all(value, [](char c) { return is_lower_or_digit(c) || c == '-'; }))
        problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (std::none_of(value.begin(), value.end(), is_lower))
        problems.emplace_back("must contain at least one letter (a-z)");
    if (value.find("--") != std::string_view::npos) problems.emplace_back("must not contain consecutive hyphens");
    if (value.starts_with('-') || value.ends_with('-')) problems.emplace_back("must not begin or end with a hyphen");
    return problems;
}

Problems is_in_range(std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return {};
    return {range_sentence(low, high)};
}

Problems is_port_number(std::int64_t value) { return is_in_range(value, 1, 65535); }

Problems is_user_id(std::int64_t value) { return is_in_range(value, 0, std::numeric_limits<std::int32_t>::max()); }

Problems is_group_id(std::int64_t value) { return is_user_id(value); }

Problems is_percent(std::string_view value) {
    if (value.size() > 1 && value.back() == '%' && all(value.substr(0, value.size() - 1), is_digit)) return {};
    return {regex_sentence("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%",
                           {"1%", "93%"})};
}

Problems is_http_header_name(std::string_view value) {
    if (!value.empty() && all(value, [](char c) { return is_alphanumeric(c) || c == '-'; })) return {};
    return {regex_sentence("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+",
                           {"X-Header-Name"})};
}

Problems is_valid_ip(std::string_view value, bool strict) {
    const bool six = value.find(':') != std::string_view::npos;
    const Address address = six ? parse_ipv6(value) : parse_ipv4(value);
    if (!address.valid) return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
    if (strict && address.leading_zeros) return {"must not have leading 0s"};
    if (strict && address.mapped) return {"must not be an IPv4-mapped IPv6 address"};
    return {};
}

bool is_ipv6(std::string_view value) { return value.find(':') != std::string_view::npos && parse_ipv6(value).valid; }

Problems is_domain_prefixed_path(std::string_view value) {
    const std::size_t slash = value.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == value.size())
        return {"must be a domain-prefixed path (such as \"acme.io/foo\")"};
    Problems problems = is_dns1123_subdomain(value.substr(0, slash));
    constexpr std::string_view kMarks = "/-._~%!$&'()*+,;=:";
    const auto allowed = [&](char c) { return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos; };
    if (!all(value.substr(slash + 1), allowed))
        problems.push_back(regex_sentence("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", {}));
    return problems;
}

}  // namespace muster::api
