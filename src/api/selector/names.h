// What names, keys and values of the API must look like. Each function gives the sentences that say what is wrong with
// a value, exactly as the API answers them; none when it is fine. Length is checked first. Pure, total, and without
// allocation for values that are fine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

using Problems = std::vector<std::string>;

inline constexpr std::size_t kDnsLabelMax = 63;
inline constexpr std::size_t kDnsSubdomainMax = 253;
inline constexpr std::size_t kLabelValueMax = 63;
inline constexpr std::size_t kPortNameMax = 15;

// my-name
Problems is_dns1123_label(std::string_view value);
// example.com
Problems is_dns1123_subdomain(std::string_view value);
// _my.example_com
Problems is_dns1123_subdomain_with_underscore(std::string_view value);
// my-name, which starts with a letter
Problems is_dns1035_label(std::string_view value);
// example.com/MyName: keys of labels and annotations, finalizers, resources
Problems is_qualified_name(std::string_view value);
Problems is_label_value(std::string_view value);
// What environment variables may be called: any printable ASCII but '='.
Problems is_env_var_name(std::string_view value);
// A key of a ConfigMap or Secret
Problems is_config_map_key(std::string_view value);
// http-8080
Problems is_port_name(std::string_view value);
Problems is_port_number(std::int64_t value);
Problems is_user_id(std::int64_t value);
Problems is_group_id(std::int64_t value);
Problems is_in_range(std::int64_t value, std::int64_t low, std::int64_t high);
// 25%
Problems is_percent(std::string_view value);
Problems is_http_header_name(std::string_view value);
// 10.9.8.7 or 2001:db8::ffff. Leading zeros of IPv4 and IPv4 inside IPv6 are let through unless strict.
Problems is_valid_ip(std::string_view value, bool strict = false);
bool is_ipv6(std::string_view value);
// example.com/path, as managedBy has it. The empty value is the caller's to refuse.
Problems is_domain_prefixed_path(std::string_view value);

// The sentences that others need too.
std::string max_length_sentence(std::size_t length);              // must be no more than 63 characters
std::string range_sentence(std::int64_t low, std::int64_t high);  // must be between 1 and 65535, inclusive
inline constexpr const char* kNonEmptySentence = "must be non-empty";

}  // namespace muster::api
