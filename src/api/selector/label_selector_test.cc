#include "api/selector/label_selector.h"

#include <gtest/gtest.h>

#include "api/kinds/meta/meta.h"

namespace muster::api {
namespace label_selector_test {

using Op = LabelSelector::Op;

TEST(LabelSelector, ReadsTheWholeLanguageAndPrintsItByKey) {
    struct Row {
        const char* sentence;
        const char* written;
        const char* printed;
    };
    const Row table[] = {
        {"nothing", "", ""},
        {"only space", " \t\n", ""},
        {"every operator", "a=b,c!=d,e in (x,y),f notin (z),g,!h,i>3,j<7,k==l",
         "a=b,c!=d,e in (x,y),f notin (z),g,!h,i>3,j<7,k==l"},
        {"keys are sorted", "c=1,a=2,b", "a=2,b,c=1"},
        {"values are sorted and once each", "a in (z,y,z,x)", "a in (x,y,z)"},
        {"space is free", " a  =  b , c  in  ( x , y ) ", "a=b,c in (x,y)"},
        {"a value left out is empty", "a=,b!=,c==", "a=,b!=,c=="},
        {"an empty set holds the empty value", "a in ()", "a in ()"},
        {"a comma alone is the empty value", "a in (,)", "a in ()"},
        {"an empty value leads", "a in (,x)", "a in (,x)"},
        {"an empty value ends", "a in (x,)", "a in (,x)"},
        {"an empty value in the middle", "a in (x,,y)", "a in (,x,y)"},
        {"in and notin may be keys", "in in (in),notin", "in in (in),notin"},
        {"in and notin may be values", "a=in,b=notin", "a=in,b=notin"},
        {"a prefix", "example.com/role=db", "example.com/role=db"},
    };
    for (const Row& row : table) {
        const auto parsed = LabelSelector::parse(row.written);
        ASSERT_TRUE(parsed.ok()) << row.sentence << ": " << parsed.error().message;
        EXPECT_EQ(parsed->text(), row.printed) << row.sentence;
        EXPECT_EQ(LabelSelector::parse(parsed->text())->text(), row.printed) << row.sentence;
    }
}

TEST(LabelSelector, RefusesWhatItCannotReadInTheApisWords) {
    const std::string part =
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    const std::string value =
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    struct Row {
        const char* sentence;
        std::string written;
        std::string error;
    };
    const Row table[] = {
        {"an operator without a key", "=x", "found '=', expected: !, identifier, or 'end of string'"},
        {"a set that does not end", "a in (p0", "unable to parse requirement: found '', expected: ',' or ')'"},
        {"a set that does not begin", "a in x", "unable to parse requirement: found 'x' expected: '('"},
        {"a set of operators", "a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
        {"an operator after a comma in a set", "a in (x,=)",
         "unable to parse requirement: found '=', expected: ',', or identifier"},
        {"a bound that is no number", "a>x",
         "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
         "integer"},
        {"a bound and a label both wrong", "a<-x",
         "unable to parse requirement: [values[0]: Invalid value: \"-x\": for 'Gt', 'Lt' operators, the value must be "
         "an integer, values[0][a]: Invalid value: \"-x\": " +
             value + "]"},
        {"a bound below zero is no label value", "a>-3",
         "unable to parse requirement: values[0][a]: Invalid value: \"-3\": " + value},
        {"two words", "a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        {"a value after !a", "!a=b", "found '=', expected: ',' or 'end of string'"},
        {"! alone", "!", "unable to parse requirement: found '', expected: identifier"},
        {"a comma at the end", "a,", "found '', expected: identifier after ','"},
        {"two values", "a=b=c", "found '=', expected: ',' or 'end of string'"},
        {"an operator as a value", "a==!", "unable to parse requirement: found '!', expected: identifier"},
        {"a bad key", "-a=b", "unable to parse requirement: <nil>: Invalid value: \"-a\": " + part},
        {"a bad value", "a=-b", "unable to parse requirement: values[0][a]: Invalid value: \"-b\": " + value},
        {"a value too long", "a=" + std::string(64, 'x'),
         "unable to parse requirement: values[0][a]: Invalid value: \"" + std::string(64, 'x') +
             "\": must be no more than 63 characters"},
    };
    for (const Row& row : table) {
        const auto parsed = LabelSelector::parse(row.written);
        ASSERT_FALSE(parsed.ok()) << row.sentence;
        EXPECT_EQ(parsed.error().message, row.error) << row.sentence;
        EXPECT_EQ(parsed.error().code, Code::kBadRequest) << row.sentence;
    }
}

TEST(LabelSelector, MatchesLabels) {
    const Map<Text> labels{{"app", "db"}, {"tier", ""}, {"size", "10"}, {"word", "ten"}};
    struct Row {
        const char* selector;
        bool matches;
    };
    const Row table[] = {
        {"", true},
        {"app=db", true},
        {"app=web", false},
        {"none=db", false},
        {"app!=web", true},
        {"app!=db", false},
        {"none!=db", true},
        {"app in (db,web)", true},
        {"app in (web)", false},
        {"none in (web)", false},
        {"app notin (web)", true},
        {"app notin (db)", false},
        {"none notin (db)", true},
        {"app", true},
        {"tier", true},
        {"none", false},
        {"!app", false},
        {"!none", true},
        {"size>9", true},
        {"size>10", false},
        {"size<11", true},
        {"size<10", false},
        {"word>1", false},
        {"none<5", false},
        {"tier=", true},
        {"tier in ()", true},
        {"app=", false},
        {"app=db,size>9,!none", true},
        {"app=db,app=web", false},
        {"app==db", true},
        {"app!=db,app=db", false},
    };
    for (const Row& row : table)
        EXPECT_EQ(LabelSelector::parse(row.selector)->matches(labels), row.matches) << row.selector;
    EXPECT_FALSE(LabelSelector::nothing().matches(labels));
    EXPECT_FALSE(LabelSelector::nothing().matches({}));
}

TEST(LabelSelector, NamesTheOneValueALabelMustHave) {
    const auto selector = LabelSelector::parse("a=x,b in (y),c in (y,z),d!=x,e").value();
    EXPECT_EQ(selector.exact_value("a"), Text("x"));
    EXPECT_EQ(selector.exact_value("b"), Text("y"));
    for (const char* key : {"c", "d", "e", "none"}) EXPECT_EQ(selector.exact_value(key), std::nullopt) << key;
}

TEST(LabelSelector, TheApisStructBecomesTheSameRequirements) {
    meta::LabelSelector given{.match_labels = {{"z", "1"}, {"a", "2"}}};
    const auto expression = [](const char* key, const char* op, List<Text> values) {
        return meta::LabelSelectorRequirement{.key = key, .operator_ = op, .values = std::move(values)};
    };
    given.match_expressions = {expression("k", "In", {"y", "x"}), expression("n", "NotIn", {"x"}),
                               expression("e", "Exists", {}), expression("d", "DoesNotExist", {})};
    EXPECT_EQ(LabelSelector::from(&given)->text(), "a=2,!d,e,k in (x,y),n notin (x),z=1");
    EXPECT_TRUE(LabelSelector::from(nullptr)->is_nothing());
    const meta::LabelSelector empty;
    EXPECT_TRUE(LabelSelector::from(&empty)->is_everything());

    given.match_expressions = {expression("k", "Like", {"x"})};
    EXPECT_EQ(LabelSelector::from(&given).error().message, R"("Like" is not a valid label selector operator)");
    EXPECT_EQ(LabelSelector::from(&given).error().code, Code::kInvalid);
}

TEST(LabelSelector, ADemandWhoseValuesDoNotFitItsOperatorIsNotAdded) {
    struct Row {
        Op op;
        std::vector<Text> values;
        const char* error;
    };
    const Row table[] = {
        {Op::kIn, {}, "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty"},
        {Op::kNotIn,
         {},
         "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty"},
        {Op::kEquals,
         {"x", "y"},
         R"(values: Invalid value: []string{"x", "y"}: exact-match compatibility requires one single value)"},
        {Op::kExists,
         {"x"},
         R"(values: Invalid value: []string{"x"}: values set must be empty for exists and does not exist)"},
        {Op::kLessThan,
         {},
         "values: Invalid value: []string(nil): for 'Gt', 'Lt' operators, exactly one value is required"},
    };
    for (const Row& row : table) {
        LabelSelector selector;
        const auto added = selector.add("a", row.op, row.values);
        ASSERT_FALSE(added.ok()) << row.error;
        EXPECT_EQ(added.error().message, row.error);
        EXPECT_TRUE(selector.is_everything());
    }
}

TEST(LabelSelector, IsBounded) {
    EXPECT_FALSE(LabelSelector::parse(std::string(LabelSelector::kTextMax + 1, ' ')).ok());
    std::string many;
    for (std::size_t i = 0; i < LabelSelector::kRequirementsMax; ++i) many += (i ? ",a" : "a") + std::to_string(i);
    EXPECT_TRUE(LabelSelector::parse(many).ok());
    EXPECT_FALSE(LabelSelector::parse(many + ",b").ok());
}

}  // namespace label_selector_test
}  // namespace muster::api
