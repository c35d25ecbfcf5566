#include "client/remote/json_slices.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::client {
namespace json_slices_test {

std::string members(std::string_view text) {
    std::string out;
    const auto walked = for_each_member(text, [&](std::string_view key, std::string_view value) -> Result<void> {
        out.append(key).append("→").append(value).append(";");
        return {};
    });
    return walked.ok() ? out : "corrupt";
}

std::string elements(std::string_view text) {
    std::string out;
    const auto walked = for_each_element(text, [&](std::string_view element) -> Result<void> {
        out.append(element).append(";");
        return {};
    });
    return walked.ok() ? out : "corrupt";
}

TEST(JsonSlices, AreTheMembersOfAnObject) {
    const struct {
        const char* sentence;
        const char* text;
        const char* members;
    } cases[] = {
        {"none", " {} ", ""},
        {"values of all kinds", R"({"a":1,"b":[1,{"x":"]"}],"c":"}","d":null,"e":-1.5e3})",
         R"(a→1;b→[1,{"x":"]"}];c→"}";d→null;e→-1.5e3;)"},
        {"space between", "{ \"a\" : { \"b\" : 2 } ,\n\"c\":true }", "a→{ \"b\" : 2 };c→true;"},
        {"quotes and backslashes in a string", R"({"a":"\"\\","b":"\\\""})", R"(a→"\"\\";b→"\\\"";)"},
        {"an object that does not end", R"({"a":{"b":1})", "corrupt"},
        {"a string that does not end", R"({"a":"b\"})", "corrupt"},
        {"a backslash at the end", R"({"a":"\)", "corrupt"},
        {"no value", R"({"a":})", "corrupt"},
        {"no object", "[1]", "corrupt"},
        {"more behind it", "{} {}", "corrupt"},
        {"nothing", "", "corrupt"},
    };
    for (const auto& each : cases) EXPECT_EQ(members(each.text), each.members) << each.sentence;
}

TEST(JsonSlices, AreTheElementsOfAnArray) {
    EXPECT_EQ(elements(R"([{"a":[1]}, "b,]" ,3])"), R"({"a":[1]};"b,]";3;)");
    EXPECT_EQ(elements("[]"), "");
    EXPECT_EQ(elements("null"), "") << "a list without items";
    EXPECT_EQ(elements("[1"), "corrupt");
    EXPECT_EQ(elements("{}"), "corrupt");
}

TEST(JsonSlices, PlainTextIsWhatHasNoEscapes) {
    EXPECT_EQ(plain_text(R"("ADDED")"), "ADDED");
    EXPECT_EQ(plain_text(R"("a\"")"), "");
    EXPECT_EQ(plain_text("12"), "");
}

}  // namespace json_slices_test
}  // namespace muster::client
