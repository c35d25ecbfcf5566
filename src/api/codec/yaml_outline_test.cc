#include "api/codec/yaml_outline.h"

#include <gtest/gtest.h>

#include <string>

#include "api/codec/dom.h"

namespace muster::api {
namespace yaml_outline_test {

struct Case {
    const char* name;
    const char* yaml;
    std::size_t entries;
    std::size_t depth;
};

TEST(YamlOutline, CountsWhatStandsInBracketsAndNothingElse) {
    const Case cases[] = {
        {"an empty document", "", 0, 0},
        {"block style", "a: 1\nb:\n- c\n- d, e, f\n", 0, 0},
        {"a map at the root", "{a: 1, b: 2, c: 3}", 2, 1},
        {"behind the start of a document", "--- [a, b]\n", 1, 1},
        {"as a value", "x: {a,b,c}\n", 2, 1},
        {"as an entry", "- [a,b]\n- - {a,b,c}\n", 3, 1},
        {"as a key", "? [a,b]\n: {c,d}\n", 2, 1},
        {"behind an anchor and a tag", "x: &a !!map {a,b,c}\n", 2, 1},
        {"nested", "x: [[a,b],{c: [d,e]}]\n", 3, 3},
        {"over several lines", "x: [a,\n  b,\n  c]\ny: 1\n", 2, 1},
        {"two in a row", "x: [a,b]\ny: [c,d]\n", 2, 1},
        {"in double quotes", "x: \"[a,b,c\"\ny: [\"a,b\\\",c\", d]\n", 1, 1},
        {"in single quotes", "x: '[a,b,c'\ny: ['a,''b,c', d]\n", 1, 1},
        {"quoted text of several lines", "x: \"a\n  [b,c,d\n  \"\n", 0, 0},
        {"a quote inside a plain text", "{a\"b,c\"d}", 1, 1},
        {"a quote behind a space inside a plain text", "{a \"b,c\" d}", 1, 1},
        {"a quote on the next line of a plain text", "{a\n \"b,c\" d}", 1, 1},
        {"in comments", "# [a,b\nx: 1 # {a,b\ny: [a, # b,c,d\n  e]\n", 1, 1},
        {"a number sign inside a plain text", "[a#b,c]", 1, 1},
        {"brackets inside a plain text", "x: a[b,c,d]\n", 0, 0},
        {"in a block text", "x: |\n  [a,b,c]\n  {d,e\n\n  [f,g\ny: [a,b]\n", 1, 1},
        {"in a folded block text with a mark", "x: >-  # why\n  [a,b,c]\ny: [a,b]\n", 1, 1},
        {"in a block text of an entry", "- |\n  [a,b]\n- x: |\n    [a,b]\n  y: [a,b]\n", 1, 1},
        {"an empty block text hides nothing", "x: |\ny: [a,b,c]\n", 2, 1},
        {"a block text with an indent of its own", "x: |1\n  [a,b,c\n [d,e\ny: [a,b]\n", 1, 1},
        {"a block text at the root", "--- |\n [a,b,c]\n", 0, 0},
        {"text that looks like a time", "{a: 12:30:00, b: \"x\"}", 1, 1},
        {"JSON", R"({"a":["b,c","d"],"e":{"f":1,"g":[]}})", 3, 3},
        {"texts of JSON with commas", R"({"a":"b,c,d","e" : "f,g"})", 1, 1},
        {"a colon inside a plain text", "{a:\"b,c\"}", 1, 1},
        {"brackets that are never closed", "[[[a,b", 1, 3},
        {"quotes that are never closed", "x: \"[a,b", 0, 0},
    };
    for (const Case& each : cases) {
        const YamlOutline outline = outline_yaml(each.yaml, 1000, 1000);
        EXPECT_EQ(outline.entries, each.entries) << each.name;
        EXPECT_EQ(outline.depth, each.depth) << each.name;
    }
}

TEST(YamlOutline, StopsAtTheFirstValueBeyondALimit) {
    std::string many = "x: {";
    for (int i = 0; i < 1000; ++i) many += "a,";
    EXPECT_EQ(outline_yaml(many, 10, 10).entries, 11u);
    EXPECT_EQ(outline_yaml(std::string(1000, '['), 10, 10).depth, 11u);
}

// The reader itself would say the same, but much later: a broken end of the document shows that it was not read so far.
TEST(YamlOutline, TheReaderRefusesTooManyNodesBeforeItReadsThem) {
    std::vector<std::string> duplicates;
    for (const std::string start : {"{", "x: {", "- [", "? {", "a: |\nx: ["}) {
        std::string yaml = start;
        for (int i = 0; i < 5000; ++i) yaml += "a,";
        const auto tree = parse_yaml(yaml + "\"broken", {.yaml_nodes_max = 1000}, duplicates);
        ASSERT_FALSE(tree.ok()) << start;
        EXPECT_EQ(tree.error().code, Code::kTooLarge) << start << tree.error().message;
    }
}

TEST(YamlOutline, ALongBlockTextIsNoStructure) {
    std::string numbers = "[";
    for (int i = 0; i < 5000; ++i) numbers += "1,";
    std::vector<std::string> duplicates;
    const auto tree = parse_yaml("data:\n  a.json: |\n    " + numbers + "\n", {.yaml_nodes_max = 1000}, duplicates);
    EXPECT_TRUE(tree.ok()) << tree.error().message;
}

}  // namespace yaml_outline_test
}  // namespace muster::api
