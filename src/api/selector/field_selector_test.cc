#include "api/selector/field_selector.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace field_selector_test {

std::string value_of(std::string_view field) {
    if (field == "metadata.name") return "p";
    if (field == "status.phase") return "Running";
    if (field == "odd") return "a,b=c\\d";
    return "";
}

TEST(FieldSelector, ReadsPrintsAndMatches) {
    struct Row {
        const char* sentence;
        const char* written;
        const char* printed;
        bool matches;
    };
    const Row table[] = {
        {"nothing selects everything", "", "", true},
        {"equal", "metadata.name=p", "metadata.name=p", true},
        {"equal with two signs prints with one", "metadata.name==p", "metadata.name=p", true},
        {"not equal", "metadata.name!=p", "metadata.name!=p", false},
        {"all must hold", "status.phase=Running,metadata.name=q", "metadata.name=q,status.phase=Running", false},
        {"terms are sorted", "status.phase!=Failed,metadata.name=p", "metadata.name=p,status.phase!=Failed", true},
        {"terms are sorted as they are printed", "odd==z,odd=b", "odd=b,odd=z", false},
        {"a field that is not set is empty", "spec.nodeName=", "spec.nodeName=", true},
        {"not empty", "spec.nodeName!=", "spec.nodeName!=", false},
        {"escapes", R"(odd=a\,b\=c\\d)", R"(odd=a\,b\=c\\d)", true},
        {"an escaped backslash does not escape the comma", R"(odd!=a\\,metadata.name=p)", R"(metadata.name=p,odd!=a\\)",
         true},
        {"empty terms are left out", ",metadata.name=p,,", "metadata.name=p", true},
        {"a term of nothing is left out", "=,metadata.name=p,!=", "metadata.name=p", true},
        {"space counts", "metadata.name= p", "metadata.name= p", false},
        {"an exclamation mark inside a field", "a!b=c", "a!b=c", false},
    };
    for (const Row& row : table) {
        const auto parsed = FieldSelector::parse(row.written);
        ASSERT_TRUE(parsed.ok()) << row.sentence << ": " << parsed.error().message;
        EXPECT_EQ(parsed->text(), row.printed) << row.sentence;
        EXPECT_EQ(parsed->matches(value_of), row.matches) << row.sentence;
        EXPECT_EQ(FieldSelector::parse(parsed->text()).value(), *parsed) << row.sentence;
    }
}

TEST(FieldSelector, RefusesWhatItCannotReadInTheApisWords) {
    struct Row {
        const char* sentence;
        const char* written;
        const char* error;
    };
    const Row table[] = {
        {"no operator", "a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"},
        {"two values", "a=b=c", "invalid field selector: unescaped character in value: 61"},
        {"three signs", "a===b", "invalid field selector: unescaped character in value: 61"},
        {"an unknown escape", R"(a=\x)", R"(invalid field selector: invalid escape sequence: \x)"},
        {"an escaped letter beyond ASCII", "a=\\é", "invalid field selector: invalid escape sequence: \\é"},
        {"a backslash at the end", R"(a=b\)", R"(invalid field selector: invalid escape sequence: \)"},
    };
    for (const Row& row : table) {
        const auto parsed = FieldSelector::parse(row.written);
        ASSERT_FALSE(parsed.ok()) << row.sentence;
        EXPECT_EQ(parsed.error().message, row.error) << row.sentence;
        EXPECT_EQ(parsed.error().code, Code::kBadRequest) << row.sentence;
    }
    EXPECT_FALSE(FieldSelector::parse(std::string(FieldSelector::kTextMax + 1, ',')).ok());
    std::string many;
    for (std::size_t i = 0; i <= FieldSelector::kTermsMax; ++i) many += "a=b,";
    EXPECT_FALSE(FieldSelector::parse(many).ok());
}

TEST(FieldSelector, ListsItsFieldsOnceAndTheValueAFieldMustHave) {
    const auto selector = FieldSelector::parse("b=1,a!=2,b!=3,c==4").value();
    EXPECT_EQ(selector.fields(), (std::vector<std::string_view>{"a", "b", "c"}));
    EXPECT_EQ(selector.exact_value("b"), "1");
    EXPECT_EQ(selector.exact_value("c"), "4");
    EXPECT_EQ(selector.exact_value("a"), std::nullopt);
}

}  // namespace field_selector_test
}  // namespace muster::api
