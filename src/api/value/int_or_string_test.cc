#include "api/value/int_or_string.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace int_or_string_test {

using Traits = ScalarTraits<IntOrString>;

TEST(IntOrString, ScalesAPercentageAndLeavesANumber) {
    struct Row {
        const char* sentence;
        IntOrString value;
        int total;
        bool round_up;
        int scaled;
    };
    const Row table[] = {
        {"a number is itself", 7, 100, true, 7},
        {"a negative number is itself", -7, 100, false, -7},
        {"a whole share", "50%", 10, true, 5},
        {"a share rounded up", "25%", 10, true, 3},
        {"a share rounded down", "25%", 10, false, 2},
        {"more than all", "150%", 3, false, 4},
        {"nothing", "0%", 10, true, 0},
        {"a share of nothing", "30%", 0, true, 0},
        {"a negative share rounds up to zero", "-5%", 10, true, 0},
        {"a negative share rounds down", "-5%", 10, false, -1},
        {"a plus sign", "+10%", 10, true, 1},
        {"a share of very many", "99%", 2000000000, true, 1980000000},
    };
    for (const Row& row : table) {
        const auto scaled = row.value.scaled_value(row.total, row.round_up);
        ASSERT_TRUE(scaled.ok()) << row.sentence;
        EXPECT_EQ(*scaled, row.scaled) << row.sentence;
    }
}

TEST(IntOrString, RefusesToScaleATextThatIsNoPercentage) {
    struct Row {
        const char* written;
        const char* error;
    };
    const Row table[] = {
        {"10", "invalid value for IntOrString: invalid type: string is not a percentage"},
        {"", "invalid value for IntOrString: invalid type: string is not a percentage"},
        {"%", R"(invalid value for IntOrString: invalid value "%": strconv.Atoi: parsing "": invalid syntax)"},
        {"a%", R"(invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax)"},
        {"1%%", R"(invalid value for IntOrString: invalid value "1%%": strconv.Atoi: parsing "1%": invalid syntax)"},
        {"+-1%", R"(invalid value for IntOrString: invalid value "+-1%": strconv.Atoi: parsing "+-1": invalid syntax)"},
        {"99999999999999999999%",
         R"(invalid value for IntOrString: invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range)"},
    };
    for (const Row& row : table) {
        const auto scaled = IntOrString(row.written).scaled_value(10, true);
        ASSERT_FALSE(scaled.ok()) << row.written;
        EXPECT_EQ(scaled.error().message, row.error);
    }
    EXPECT_FALSE(IntOrString("9000000000000000000%").scaled_value(1000, true).ok());
}

TEST(IntOrString, JsonIsANumberOrAString) {
    IntOrString value;
    std::string error;
    EXPECT_TRUE(Traits::from_json(value, {JsonToken::Kind::kNumber, "-2147483648"}, error));
    EXPECT_EQ(value, IntOrString(std::numeric_limits<std::int32_t>::min()));
    EXPECT_TRUE(Traits::from_json(value, {JsonToken::Kind::kString, "80"}, error));
    EXPECT_EQ(value, IntOrString("80"));
    EXPECT_NE(value, IntOrString(80));
    for (const char* number : {"2147483648", "1.5", "1e3", "1.0"})
        EXPECT_FALSE(Traits::from_json(value, {JsonToken::Kind::kNumber, number}, error)) << number;
    EXPECT_EQ(error, "expected an integer of 32 bits or a string, got 1.0");
    EXPECT_FALSE(Traits::from_json(value, {JsonToken::Kind::kTrue, "true"}, error));
    EXPECT_EQ(value, IntOrString("80"));

    std::string out;
    Traits::append_json(IntOrString(-1), out);
    Traits::append_json(IntOrString("a\"b"), out);
    EXPECT_EQ(out, R"(-1"a\"b")");
    EXPECT_EQ(IntOrString(80).text(), "80");
    EXPECT_EQ(IntOrString("http").text(), "http");
}

TEST(IntOrString, ProtobufSaysWhichOfTheTwoItIs) {
    std::string bytes;
    Traits::append_protobuf(IntOrString(80), bytes);
    EXPECT_EQ(bytes, std::string("\x08\x00\x10\x50\x1a\x00", 6));
    for (const IntOrString& value : {IntOrString(), IntOrString(-1), IntOrString("http"), IntOrString("")}) {
        bytes.clear();
        Traits::append_protobuf(value, bytes);
        IntOrString read(7);
        EXPECT_TRUE(Traits::from_protobuf(read, bytes));
        EXPECT_EQ(read, value);
    }
    IntOrString value;
    EXPECT_TRUE(Traits::from_protobuf(value, ""));
    EXPECT_EQ(value, IntOrString(0));
    EXPECT_FALSE(Traits::from_protobuf(value, "\x08\x02"));
    EXPECT_FALSE(Traits::from_protobuf(value,
                                       "\x1a\x05"
                                       "ab"));
    EXPECT_FALSE(Traits::from_protobuf(value, "\x18\x05"));
}

}  // namespace int_or_string_test
}  // namespace muster::api
