#include "api/value/quote.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace {

TEST(Quote, EscapesWhatCannotBePrintedAndLeavesTheRest) {
    struct Row {
        const char* sentence;
        std::string text;
        const char* quoted;
        const char* json;
    };
    const Row table[] = {
        {"plain text", "a b", R"("a b")", R"("a b")"},
        {"quotes and backslashes", "\"\\", R"("\"\\")", R"("\"\\")"},
        {"line ends and tabs", "\n\t\r", R"("\n\t\r")", R"("\n\t\r")"},
        {"a bell is short only in Go's form", "\a", R"("\a")", R"("\u0007")"},
        {"control characters", std::string("\0\x1f", 2), R"("\x00\x1f")", R"("\u0000\u001f")"},
        {"letters beyond ASCII", "é漢😀", "\"é漢😀\"", "\"é漢😀\""},
        {"a space that does not break", "\u00a0", R"("\u00a0")", "\"\u00a0\""},
        {"bytes that are not UTF-8", "\xff\xc0\x80", R"("\xff\xc0\x80")", R"("\ufffd\ufffd\ufffd")"},
        {"a letter cut short", "\xe6\xbc", R"("\xe6\xbc")", R"("\ufffd\ufffd")"},
        {"a surrogate", "\xed\xa0\x80", R"("\xed\xa0\x80")", R"("\ufffd\ufffd\ufffd")"},
        {"what HTML would read", "<&>", R"("<&>")", R"("\u003c\u0026\u003e")"},
        {"line separators", "\u2028", R"("\u2028")", R"("\u2028")"},
    };
    for (const Row& row : table) {
        EXPECT_EQ(in_quotes(row.text), row.quoted) << row.sentence;
        std::string json;
        append_json_text(row.text, json);
        EXPECT_EQ(json, row.json) << row.sentence;
    }
}

}  // namespace
}  // namespace muster::api
