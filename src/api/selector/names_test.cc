#include "api/selector/names.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace names_test {

const std::string kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const std::string kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const std::string kQualified =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const std::string kValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const std::string kDns1035 =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
const std::string kEnv =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
const std::string kKey =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const std::string kIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

struct Row {
    const char* sentence;
    Problems (*rule)(std::string_view);
    std::string value;
    Problems problems;
};

Problems sloppy_ip(std::string_view value) { return is_valid_ip(value); }
Problems strict_ip(std::string_view value) { return is_valid_ip(value, true); }

std::string of(std::size_t count, const char* text = "a") {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

void check(std::initializer_list<Row> table) {
    for (const Row& row : table) EXPECT_EQ(row.rule(row.value), row.problems) << row.sentence << ": " << row.value;
}

TEST(Names, DnsNames) {
    check({
        {"a label", is_dns1123_label, "my-name-1", {}},
        {"a label may start with a digit", is_dns1123_label, "1", {}},
        {"a label of 63", is_dns1123_label, of(63), {}},
        {"a label of 64", is_dns1123_label, of(64), {"must be no more than 63 characters"}},
        {"an empty label", is_dns1123_label, "", {kLabel}},
        {"a capital", is_dns1123_label, "A_b", {kLabel}},
        {"a dash at the end", is_dns1123_label, "a-", {kLabel}},
        {"a line end", is_dns1123_label, "a\n", {kLabel}},
        {"a label with dots says so", is_dns1123_label, "a.b", {"must not contain dots"}},
        {"long and wrong says both, length first",
         is_dns1123_label,
         of(64, "_"),
         {"must be no more than 63 characters", kLabel}},
        {"a subdomain", is_dns1123_subdomain, "a.b-c.d1", {}},
        {"a subdomain of 253", is_dns1123_subdomain, of(126, "a.") + "a", {}},
        {"a subdomain of 255", is_dns1123_subdomain, of(127, "a.") + "a", {"must be no more than 253 characters"}},
        {"a part may be longer than a label", is_dns1123_subdomain, of(200), {}},
        {"two dots", is_dns1123_subdomain, "a..b", {kSubdomain}},
        {"a dot at the end", is_dns1123_subdomain, "a.", {kSubdomain}},
        {"a capital in a subdomain", is_dns1123_subdomain, "Job", {kSubdomain}},
        {"underscores where they may be", is_dns1123_subdomain_with_underscore, "_a_b._c", {}},
        {"a DNS-1035 label", is_dns1035_label, "a-1", {}},
        {"a DNS-1035 label starts with a letter", is_dns1035_label, "1a", {kDns1035}},
        {"an empty DNS-1035 label", is_dns1035_label, "", {kDns1035}},
    });
    EXPECT_EQ(is_dns1123_subdomain_with_underscore("a_").size(), 1u);
}

TEST(Names, KeysAndValuesOfLabels) {
    check({
        {"a name", is_qualified_name, "My_Name.1", {}},
        {"a prefix and a name", is_qualified_name, "example.com/My-Name", {}},
        {"a name of 63 behind a prefix of 253", is_qualified_name, of(126, "a.") + "a/" + of(63), {}},
        {"a name of 64", is_qualified_name, of(64), {"name part must be no more than 63 characters"}},
        {"a prefix too long", is_qualified_name, of(254) + "/a", {"prefix part must be no more than 253 characters"}},
        {"two slashes",
         is_qualified_name,
         "a/b/c",
         {"a valid label key " + kQualified +
          " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}},
        {"nothing", is_qualified_name, "", {"name part must be non-empty", "name part " + kQualified}},
        {"no prefix before the slash", is_qualified_name, "/a", {"prefix part must be non-empty"}},
        {"no name after the slash",
         is_qualified_name,
         "a/",
         {"name part must be non-empty", "name part " + kQualified}},
        {"a prefix in capitals", is_qualified_name, "A/b", {"prefix part " + kSubdomain}},
        {"a space", is_qualified_name, "a b", {"name part " + kQualified}},
        {"an empty value", is_label_value, "", {}},
        {"a value", is_label_value, "A.b_c-1", {}},
        {"a value of 64", is_label_value, of(64), {"must be no more than 63 characters"}},
        {"a value with a slash", is_label_value, "a/b", {kValue}},
        {"a value that ends in a dot", is_label_value, "a.", {kValue}},
    });
}

TEST(Names, KeysAndVariables) {
    check({
        {"any printable ASCII names a variable", is_env_var_name, "1 a!$", {}},
        {"a variable without a name", is_env_var_name, "", {"environment variable name must be non-empty"}},
        {"an equals sign in a variable", is_env_var_name, "a=b", {kEnv}},
        {"a tab in a variable", is_env_var_name, "a\tb", {kEnv}},
        {"a letter beyond ASCII in a variable", is_env_var_name, "é", {kEnv}},
        {"a config key", is_config_map_key, "a.B_c-1", {}},
        {"a config key of 254", is_config_map_key, of(254), {"must be no more than 253 characters"}},
        {"an empty config key", is_config_map_key, "", {kKey}},
        {"a config key with a slash", is_config_map_key, "a/b", {kKey}},
        {"a dot", is_config_map_key, ".", {"must not be '.'"}},
        {"two dots", is_config_map_key, "..", {"must not be '..'"}},
        {"a config key that climbs", is_config_map_key, "..a", {"must not start with '..'"}},
        {"a hidden file", is_config_map_key, ".a", {}},
        {"a header", is_http_header_name, "X-Header", {}},
        {"a percentage", is_percent, "93%", {}},
    });
    EXPECT_EQ(is_http_header_name("X_Header").size(), 1u);
    for (const char* value : {"", "%", "1", "-1%", "1.5%"}) EXPECT_EQ(is_percent(value).size(), 1u) << value;
}

TEST(Names, PortsAndIds) {
    check({
        {"a port's name", is_port_name, "http-8080", {}},
        {"a port's name of 16", is_port_name, of(16), {"must be no more than 15 characters"}},
        {"a port's name without a letter", is_port_name, "80", {"must contain at least one letter (a-z)"}},
        {"a port's name with a capital",
         is_port_name,
         "Http",
         {"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"}},
        {"two hyphens", is_port_name, "a--b", {"must not contain consecutive hyphens"}},
        {"a hyphen at the end", is_port_name, "a-", {"must not begin or end with a hyphen"}},
        {"an empty port's name",
         is_port_name,
         "",
         {"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
          "must contain at least one letter (a-z)"}},
    });
    EXPECT_EQ(is_port_number(1), Problems{});
    EXPECT_EQ(is_port_number(65535), Problems{});
    EXPECT_EQ(is_port_number(0), Problems{"must be between 1 and 65535, inclusive"});
    EXPECT_EQ(is_port_number(65536), Problems{"must be between 1 and 65535, inclusive"});
    EXPECT_EQ(is_user_id(-1), Problems{"must be between 0 and 2147483647, inclusive"});
    EXPECT_EQ(is_group_id(2147483647), Problems{});
    EXPECT_EQ(is_group_id(2147483648), Problems{"must be between 0 and 2147483647, inclusive"});
}

TEST(Names, Addresses) {
    for (const char* value :
         {"10.9.8.7", "0.0.0.0", "255.255.255.255", "::", "::1", "1::", "2001:db8::ffff", "1:2:3:4:5:6:7:8",
          "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "FE80::0ABC", "1::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4"})
        EXPECT_EQ(is_valid_ip(value, true), Problems{}) << value;
    for (const char* value : {"",
                              "1.2.3",
                              "1.2.3.4.5",
                              "1.2.3.256",
                              "1.2.3.",
                              ".1.2.3",
                              "1.2.3.4 ",
                              "a.b.c.d",
                              "1.2.3.-4",
                              ":",
                              ":::",
                              ":1",
                              "1:",
                              "1:2:3:4:5:6:7",
                              "1:2:3:4:5:6:7:8:9",
                              "1::2::3",
                              "12345::",
                              "g::",
                              "1:2:3:4:5:6:7:8::",
                              "::1%eth0",
                              "1:2:3:4:5:6:7:1.2.3.4",
                              "1:1.2.3.4",
                              "::1.2.3",
                              "::1.2.3.4:1",
                              "1:2:3:4::5:6:7:8",
                              "localhost",
                              "99999999999.1.1.1"})
        EXPECT_EQ(is_valid_ip(value), Problems{kIp}) << value;
    check({
        {"leading zeros are let through", sloppy_ip, "010.000.1.1", {}},
        {"unless strict", strict_ip, "010.000.1.1", {"must not have leading 0s"}},
        {"IPv4 inside IPv6 is let through", sloppy_ip, "::ffff:1.2.3.4", {}},
        {"unless strict", strict_ip, "::ffff:1.2.3.4", {"must not be an IPv4-mapped IPv6 address"}},
        {"in hexadecimal as well", strict_ip, "0:0:0:0:0:ffff:102:304", {"must not be an IPv4-mapped IPv6 address"}},
        {"another place for ffff is fine", strict_ip, "::ffff:0:1.2.3.4", {}},
    });
    EXPECT_TRUE(is_ipv6("::1"));
    EXPECT_FALSE(is_ipv6("1.2.3.4"));
}

TEST(Names, DomainPrefixedPaths) {
    check({
        {"a path", is_domain_prefixed_path, "acme.io/foo/bar~1", {}},
        {"no path", is_domain_prefixed_path, "acme.io", {"must be a domain-prefixed path (such as \"acme.io/foo\")"}},
        {"an empty path",
         is_domain_prefixed_path,
         "acme.io/",
         {"must be a domain-prefixed path (such as \"acme.io/foo\")"}},
        {"an empty domain",
         is_domain_prefixed_path,
         "/foo",
         {"must be a domain-prefixed path (such as \"acme.io/foo\")"}},
        {"a bad domain", is_domain_prefixed_path, "A/foo", {kSubdomain}},
        {"a bad path",
         is_domain_prefixed_path,
         "acme.io/foo bar",
         {"Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"}},
    });
}

}  // namespace names_test
}  // namespace muster::api
