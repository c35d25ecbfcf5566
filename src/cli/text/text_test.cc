// The pure pieces of the client verbs: columns, documents, paths into them.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>

#include "cli/client/follow.h"
#include "cli/connection/http_connection.h"
#include "cli/text/align.h"
#include "cli/text/document.h"
#include "cli/text/json_path.h"
#include "cli/text/table_text.h"

namespace muster::cli {
namespace text_text_test {

namespace json = boost::json;

TEST(AlignColumns, AColumnIsAsWideAsItsWidestNeighbour) {
    EXPECT_EQ(align_columns("a\tb\nccc\td\n", 2), "a    b\nccc  d\n");
    EXPECT_EQ(align_columns("a\tb\n\nccc\td", 1), "a b\n\nccc d");
    EXPECT_EQ(align_columns("é\tx\nab\ty\n", 1), "é  x\nab y\n");
    EXPECT_EQ(align_columns("no tabs\n", 3), "no tabs\n");
}

TEST(FormatJson, IsIndentedAndSorted) {
    EXPECT_EQ(format_json(json::parse(R"({"b":[1,{"c":null}],"a":{},"d":[]})")),
              "{\n    \"a\": {},\n    \"b\": [\n        1,\n        {\n            \"c\": null\n        }\n    ],\n    "
              "\"d\": []\n}\n");
}

TEST(FormatYaml, LooksAsKubectlPrintsIt) {
    EXPECT_EQ(
        format_yaml(json::parse(
            R"({"kind":"Job","spec":{"list":[{"name":"a","args":["x","-c","true"]},{"name":"b"}],"empty":{},"none":[],)"
            R"("n":3,"t":true,"z":null}})")),
        "kind: Job\nspec:\n  empty: {}\n  list:\n  - args:\n    - x\n    - -c\n    - \"true\"\n    name: a\n  - name: "
        "b\n  \"n\": 3\n  none: []\n  t: true\n  z: null\n");
}

TEST(FormatYaml, TextIsReadBackAsTheSameText) {
    const char* texts[] = {"plain",
                           "",
                           "true",
                           "null",
                           "12",
                           "1.5",
                           "0x1f",
                           "yes",
                           "a: b",
                           "a:",
                           "- x",
                           "-x",
                           "#no",
                           "a #b",
                           "it's",
                           "say \"x\"",
                           " lead",
                           "trail ",
                           "[x]",
                           "{x}",
                           "*star",
                           "&and",
                           "!bang",
                           "%x",
                           "@at",
                           "`t",
                           "two\nlines",
                           "two\nlines\n",
                           "a\n\n",
                           "\ttab",
                           "nul\x01",
                           "2026-01-01",
                           "2026-01-01T00:00:00Z",
                           "~",
                           "=",
                           "<<",
                           "é",
                           "a\n  b\nc",
                           "\n",
                           "  x\ny",
                           "?",
                           "? x",
                           ":x",
                           "-",
                           "---"};
    for (const char* text : texts) {
        const json::value value = json::object{{"kind", "X"}, {"k", text}, {"l", json::array{text, text}}};
        const std::string yaml = format_yaml(value);
        const auto back = parse_manifest(yaml, "test");
        ASSERT_TRUE(back.ok()) << yaml << format_error(back.error());
        EXPECT_EQ(json::value(back->at(0)), value) << yaml;
    }
}

TEST(ParseManifest, TakesDocumentsAndListsApart) {
    const auto objects = parse_manifest(
        "# a comment\n---\nkind: A\n---\n\n--- # nothing\n---\n{\"kind\": \"B\"}\n---\nkind: List\nitems:\n- kind: "
        "C\n- "
        "kind: D\n",
        "f");
    ASSERT_TRUE(objects.ok()) << format_error(objects.error());
    std::string kinds;
    for (const json::object& object : *objects) kinds += std::string(object.at("kind").as_string());
    EXPECT_EQ(kinds, "ABCD");
    EXPECT_TRUE(parse_manifest("kind: A\ntext: |\n  a\n  --- b\n", "f").ok());
    EXPECT_EQ(parse_manifest("a: [", "f.yaml").error().message.substr(0, 21), "error parsing f.yaml:");
    EXPECT_FALSE(parse_manifest("just text", "f").ok());
    EXPECT_FALSE(parse_manifest("kind: A\nkind: B", "f").ok());
}

TEST(JsonPath, PicksValues) {
    const json::value document = json::parse(
        R"({"metadata":{"name":"x","labels":{"a.b/c":"v"}},"status":{"n":3,"conditions":[{"type":"Ready","status":"True"},)"
        R"({"type":"Other","status":"False"}]},"items":[{"name":"p"},{"name":"q"}]})");
    const std::pair<const char*, const char*> cases[] = {
        {"{.metadata.name}", "x"},
        {".metadata.name", "x"},
        {"metadata.name", "x"},
        {"{$.status.n}", "3"},
        {"{.items[*].name}", "p q"},
        {"{.items[0].name}-{.items[-1].name}", "p-q"},
        {"{.status.conditions[?(@.type==\"Ready\")].status}", "True"},
        {"{.status.conditions[?(@.type!='Ready')].status}", "False"},
        {"{.metadata.labels.a\\.b/c}", "v"},
        {"{.metadata.labels['a.b/c']}", "v"},
        {"{..name}", "x p q"},
        {"n={.status.n}{\"\\n\"}", "n=3\n"},
        {"{.absent.deep}", ""},
        {"{.metadata.labels}", R"({"a.b/c":"v"})"},
    };
    for (const auto& [path, expected] : cases) {
        const auto parsed = JsonPath::parse(path);
        ASSERT_TRUE(parsed.ok()) << path << format_error(parsed.error());
        EXPECT_EQ(parsed->format(document), expected) << path;
    }
    for (const char* bad : {"{.a", "{.a[x]}", "{.a[0}", "{a}", "{.a[?(b)]}", "{.a..}"})
        EXPECT_FALSE(JsonPath::parse(bad).ok()) << bad;
}

TEST(ParseTimeout, IsGosDuration) {
    EXPECT_EQ(*parse_timeout("1m30s"), 90s);
    EXPECT_EQ(*parse_timeout("0"), 0s);
    EXPECT_EQ(*parse_timeout("-1s"), 24h * 7);
    EXPECT_FALSE(parse_timeout("soon").ok());
}

TEST(TableText, KeepsItsWidthsThroughAWatch) {
    TableText text({.with_namespace = true, .show_labels = true, .name_prefix = "pod/"});
    const json::value first = json::parse(
        R"({"columnDefinitions":[{"name":"Name","format":"name","priority":0},{"name":"Wide","format":"","priority":1},)"
        R"({"name":"Ready","format":"","priority":0}],"rows":[{"cells":["long-name","w",1],"object":{"metadata":)"
        R"({"namespace":"ns","labels":{"b":"c","a":"d"}}}}]})");
    text.add(first);
    EXPECT_EQ(text.take_lines(),
              "NAMESPACE   NAME            READY   LABELS\nns          pod/long-name   1       a=d,b=c\n");
    text.add(json::parse(R"({"columnDefinitions":null,"rows":[{"cells":["x","w","two\nlines"],"object":null}]})"));
    EXPECT_EQ(text.take_lines(), "            pod/x           two...   <none>\n");
    EXPECT_EQ(text.take_lines(), "");
}

TEST(WarningText, IsWhatStandsInQuotes) {
    EXPECT_EQ(warning_text(R"(299 - "unknown field \"spec.x\"")"), "unknown field \"spec.x\"");
    EXPECT_EQ(warning_text("odd"), "odd");
}

}  // namespace text_text_test
}  // namespace muster::cli
