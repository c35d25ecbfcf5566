#include "api/codec/yaml_encode.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/codec/dom.h"

namespace muster::api {
namespace yaml_encode_test {

struct Case {
    const char* name;
    const char* json;
    const char* yaml;
};

TEST(YamlEncode, PrintsAsKubectlDoes) {
    const Case cases[] = {
        {"keys are sorted and lists are not indented", R"({"b":[{"z":1,"x":"t"}],"a":{"k":"v"}})",
         "a:\n  k: v\nb:\n- x: t\n  z: 1\n"},
        {"empty containers stay on their line", R"({"a":{},"b":[]})", "a: {}\nb: []\n"},
        {"a list in a list", R"([[1,2],[]])", "- - 1\n  - 2\n- []\n"},
        {"text that reads as something else is quoted", R"({"a":"true","b":"12","c":"null","d":"1e3","e":"yes"})",
         "a: \"true\"\nb: \"12\"\nc: \"null\"\nd: \"1e3\"\ne: \"yes\"\n"},
        {"text with syntax in it is quoted", R"({"a":"x: y","b":"- z","c":"#c","d":"it's","e":"","f":"a #b"})",
         "a: 'x: y'\nb: '- z'\nc: '#c'\nd: it's\ne: \"\"\nf: 'a #b'\n"},
        {"times are quoted", R"({"a":"2026-01-31T00:00:00Z"})", "a: \"2026-01-31T00:00:00Z\"\n"},
        {"quotes inside quotes are doubled", R"({"a":": it's"})", "a: ': it''s'\n"},
        {"lines are a block", R"({"a":"one\ntwo\n","b":"one\ntwo"})", "a: |\n  one\n  two\nb: |-\n  one\n  two\n"},
        {"control characters are escaped", R"({"a":"x\u0001y"})", "a: \"x\\u0001y\"\n"},
        {"flags may begin with a dash", R"({"a":["-c","--x=y"]})", "a:\n- -c\n- --x=y\n"},
    };
    for (const Case& c : cases) {
        const std::string yaml = json_to_yaml(c.json);
        EXPECT_EQ(yaml, c.yaml) << c.name;
        std::vector<std::string> duplicates;
        const auto back = parse_yaml(yaml, {}, duplicates);
        ASSERT_TRUE(back.ok()) << c.name;
        EXPECT_EQ(*back, boost::json::parse(c.json)) << c.name;
    }
}

TEST(YamlEncode, WhateverIsWrittenReadsBackTheSame) {
    const char* texts[] = {" x",         "x ", "\n",  "a\n\n", "\na", "a\n b\n", "---", "...",  "~",   "0x1f", "1_000",
                           "2001-01-01", "!t", "&a",  "*a",    "%",   "@",       "`",   "a:",   ":a",  "a: b", "{",
                           "[",          "?",  "? a", "|",     ">",   "=",       "é",   "a\tb", "on",  "Off",  "-",
                           "- a",        "-1", ".5",  "a,b",   "'",   "\"",      "<<",  "0o17", "1:30"};
    for (const char* text : texts) {
        const boost::json::value document = {{"k", text}, {text, "v"}};
        std::string yaml;
        append_yaml(document, yaml);
        std::vector<std::string> duplicates;
        const auto back = parse_yaml(yaml, {}, duplicates);
        ASSERT_TRUE(back.ok()) << yaml;
        EXPECT_EQ(*back, document) << yaml;
    }
}

TEST(IndentJson, PutsEachValueOnItsLine) {
    EXPECT_EQ(indent_json(R"({"a":[1,"x{,\""],"b":{},"c":[]})"),
              "{\n  \"a\": [\n    1,\n    \"x{,\\\"\"\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

}  // namespace yaml_encode_test
}  // namespace muster::api
