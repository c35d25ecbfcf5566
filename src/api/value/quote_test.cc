#include "api/value/quote.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace quote_test {

TEST(Quote, EscapesWhatCannotBePrintedAndLeavesTheRest) {
    struct Row {
        const char* sentence;
        std::string text;
        const char* quoted;
    };
    const Row table[] = {
        {"plain text", "a b", R"("a b")"},
        {"quotes and backslashes", "\"\\", R"("\"\\")"},
        {"line ends, tabs and a bell", "\n\t\r\a", R"("\n\t\r\a")"},
        {"control characters", std::string("\0\x1f\x7f", 3), R"("\x00\x1f\x7f")"},
        {"letters beyond ASCII", "é漢😀", "\"é漢😀\""},
        {"a space that does not break", "\u00a0", R"("\u00a0")"},
        {"a letter for private use", "\U00100000", R"("\U00100000")"},
        {"bytes that are not UTF-8", "\xff\xc0\x80", R"("\xff\xc0\x80")"},
        {"a letter cut short", "\xe6\xbc", R"("\xe6\xbc")"},
        {"a surrogate", "\xed\xa0\x80", R"("\xed\xa0\x80")"},
        {"what HTML would read", "<&>", R"("<&>")"},
    };
    for (const Row& row : table) EXPECT_EQ(in_quotes(row.text), row.quoted) << row.sentence;
}

}  // namespace quote_test
}  // namespace muster::api
