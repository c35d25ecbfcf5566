#include "api/value/quantity.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace quantity_test {

using Format = Quantity::Format;

Quantity q(std::string_view text) { return Quantity::parse(text).value(); }

struct Printed {
    const char* sentence;
    const char* written;
    const char* printed;
};

TEST(Quantity, PrintsWhatItReadInCanonicalForm) {
    const Printed table[] = {
        {"a fraction becomes thousandths", "0.5", "500m"},
        {"a binary fraction goes down one suffix", "1.5Gi", "1536Mi"},
        {"a thousand thousandths are one", "1000m", "1"},
        {"the suffix is as large as can be", "1000000", "1M"},
        {"a leading point is enough", ".5", "500m"},
        {"trailing zeros of a fraction go", "0.500", "500m"},
        {"a billionth stays", "1n", "1n"},
        {"a millionth stays", "100u", "100u"},
        {"finer than a billionth rounds up", "0.1n", "1n"},
        {"finer than a billionth rounds away from zero below it", "-0.1n", "-1n"},
        {"the last kept digit rounds up", "1.00000000001", "1000000001n"},
        {"far below a billionth is still something", "1e-99999999999", "1e-9"},
        {"zero below a billionth is zero", "0e-20", "0"},
        {"binary below 1024 is plain", "0.5Ki", "512"},
        {"binary below one is decimal", "0.0005Ki", "512m"},
        {"binary with a fraction is decimal", "1.0001Ki", "1024102400u"},
        {"1024 of a binary suffix is one of the next", "1024Ki", "1Mi"},
        {"eight of a binary suffix stay", "8Gi", "8Gi"},
        {"binary caps at the largest 64-bit number", "8Ei", "9223372036854775807"},
        {"negative binary caps as well", "-100Ei", "-9223372036854775807"},
        {"decimal does not cap", "123456789012345678901234567890", "123456789012345678901234567890"},
        {"the largest 64-bit number", "9223372036854775807", "9223372036854775807"},
        {"the smallest 64-bit number", "-9223372036854775808", "-9223372036854775808"},
        {"above E there are zeros", "1000E", "1000E"},
        {"an exponent becomes a multiple of three", "1e4", "10e3"},
        {"an exponent of zero is not printed after a sum of zeros", "1000e-3", "1"},
        {"a negative exponent becomes a multiple of three", "15e-1", "1500e-3"},
        {"a large exponent", "1e100", "10e99"},
        {"zero has one form", "0.000", "0"},
        {"zero drops its suffix", "0Ki", "0"},
        {"zero drops its sign", "-0", "0"},
        {"a sign alone is zero", "+", "0"},
        {"a suffix alone is zero", "k", "0"},
        {"a point alone is zero", ".", "0"},
        {"a point may end the number", "1.G", "1.G"},
        {"negative", "-1.5", "-1500m"},
        // Texts that Kubernetes takes for canonical and gives back as they came.
        {"a fraction of three digits stays", "1.500", "1.500"},
        {"a plus sign stays", "+5", "+5"},
        {"a leading zero stays", "01Ki", "01Ki"},
        {"a capital exponent stays", "1E3", "1E3"},
        {"a signed exponent stays", "2e+6", "2e+6"},
    };
    for (const Printed& row : table) EXPECT_EQ(q(row.written).text(), row.printed) << row.sentence;
}

TEST(Quantity, ReadingItsOwnTextGivesTheSameAmountAndText) {
    for (const char* text :
         {"1.500", "1536Mi", "1000E", "1e100", "123456789012345678901234567890", "-7n", "1E3", "0"}) {
        EXPECT_EQ(q(q(text).text()), q(text)) << text;
        EXPECT_EQ(q(q(text).text()).text(), q(text).text()) << text;
    }
}

TEST(Quantity, RemembersTheFamilyOfItsSuffix) {
    EXPECT_EQ(q("1").format(), Format::kDecimalSI);
    EXPECT_EQ(q("1E").format(), Format::kDecimalSI);
    EXPECT_EQ(q("1E1").format(), Format::kDecimalExponent);
    EXPECT_EQ(q("1Ei").format(), Format::kBinarySI);
    EXPECT_EQ(q("0.5").format(), Format::kDecimalSI);
    EXPECT_EQ(q("0.0005Ki").format(), Format::kDecimalSI);
}

TEST(Quantity, RefusesWhatIsNotAQuantityWithTheApisSentence) {
    const std::string form =
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    const std::string number = "unable to parse numeric part of quantity";
    const std::string suffix = "unable to parse quantity's suffix";
    struct Refused {
        const char* sentence;
        std::string written;
        std::string error;
    };
    const Refused table[] = {
        {"nothing", "", form},
        {"a word after a space", "1 core", form},
        {"two points", "1.2.3", form},
        {"two signs", "--1", suffix},
        {"a comma", "1,5", form},
        {"a letter that no suffix has", "1x", form},
        {"a letter after the exponent", "1e3x", form},
        {"a wrong suffix", "1K", suffix},
        {"a suffix twice", "1mm", suffix},
        {"a lower-case binary suffix", "1ki", suffix},
        {"an exponent without digits", "1e", suffix},
        {"an exponent with only a sign", "1e-", suffix},
        {"an exponent with a suffix", "1Ei2", suffix},
        {"an exponent beyond all reason", "1e100000", suffix},
        {"an exponent beyond 64 bits", "1e99999999999999999999", suffix},
        {"a large binary suffix without a digit", "Pi", number},
        {"text without end", std::string(Quantity::kTextMax + 1, '1'), number},
    };
    for (const Refused& row : table) {
        const auto parsed = Quantity::parse(row.written);
        ASSERT_FALSE(parsed.ok()) << row.sentence;
        EXPECT_EQ(parsed.error().message, row.error) << row.sentence;
        EXPECT_EQ(parsed.error().code, Code::kBadRequest) << row.sentence;
    }
}

TEST(Quantity, WholeUnitsAndThousandthsRoundAwayFromZeroAndStopAtTheLimits) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    struct Row {
        const char* written;
        std::int64_t units;
        std::int64_t milli;
    };
    const Row table[] = {
        {"0", 0, 0},
        {"1n", 1, 1},
        {"-1n", -1, -1},
        {"1.5", 2, 1500},
        {"-1.5", -2, -1500},
        {"1500m", 2, 1500},
        {"1.0001", 2, 1001},
        {"2k", 2000, 2000000},
        {"1Gi", 1073741824, 1073741824000},
        {"9223372036854775807", kMax, kMax},
        {"-9223372036854775808", kMin, kMin},
        {"10E", kMax, kMax},
        {"-10E", kMin, kMin},
        {"123456789012345678901234567890", kMax, kMax},
        {"-123456789012345678901234567890.5", kMin, kMin},
        {"1e400", kMax, kMax},
    };
    for (const Row& row : table) {
        EXPECT_EQ(q(row.written).value(), row.units) << row.written;
        EXPECT_EQ(q(row.written).milli_value(), row.milli) << row.written;
    }
}

TEST(Quantity, TellsAWholeNumberFromAFraction) {
    EXPECT_TRUE(q("1000m").is_integer());
    EXPECT_FALSE(q("1001m").is_integer());
    EXPECT_TRUE(q("123456789012345678901234567890").is_integer());
    EXPECT_FALSE(q("123456789012345678901234567890.5").is_integer());
    EXPECT_EQ(q("2k").as_int64(), 2000);
    EXPECT_EQ(q("9223372036854775807").as_int64(), 9223372036854775807);
    EXPECT_EQ(q("9223372036854775808").as_int64(), std::nullopt);
    EXPECT_EQ(q("1500m").as_int64(), std::nullopt);
}

TEST(Quantity, SumsAreExactAtAnySizeAndKeepTheLeftFormat) {
    struct Row {
        const char* sentence;
        const char* left;
        const char* right;
        const char* sum;
        const char* difference;
    };
    const Row table[] = {
        {"thousandths and units", "500m", "1", "1500m", "-500m"},
        {"binary and decimal", "1Ki", "1k", "2024", "24"},
        {"decimal and binary", "1k", "1Ki", "2024", "-24"},
        {"the left format is kept", "1Gi", "1Gi", "2Gi", "0"},
        {"zero takes the other's format", "0", "1Ki", "1Ki", "-1Ki"},
        {"adding zero forgets how the left was written", "1.500", "0", "1500m", "1500m"},
        {"past 64 bits", "9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
        {"below 64 bits", "-9223372036854775808", "1", "-9223372036854775807", "-9223372036854775809"},
        {"very far apart", "1e30", "1n", "1000000000000000000000000000000000000001e-9",
         "999999999999999999999999999999999999999e-9"},
        {"past the cap of binary text", "8Ei", "8Ei", "18446744073709551614", "0"},
        {"huge and equal", "123456789012345678901234567890", "-123456789012345678901234567890", "0",
         "246913578024691357802469135780"},
    };
    for (const Row& row : table) {
        EXPECT_EQ((q(row.left) + q(row.right)).text(), row.sum) << row.sentence;
        EXPECT_EQ((q(row.left) - q(row.right)).text(), row.difference) << row.sentence;
        EXPECT_EQ(q(row.left) + q(row.right) - q(row.right), q(row.left)) << row.sentence;
    }
}

TEST(Quantity, ProductsAreExactAtAnySize) {
    EXPECT_EQ((q("250m") * 4).text(), "1");
    EXPECT_EQ((q("1Gi") * 1024).text(), "1Ti");
    EXPECT_EQ((q("9223372036854775807") * 10).text(), "92233720368547758070");
    EXPECT_EQ((q("123456789012345678901234567891") * -3).text(), "-370370367037037036703703703673");
    EXPECT_EQ((q("123456789012345678901234567891") * 0).text(), "0");
    EXPECT_EQ((q("-9223372036854775808") * std::numeric_limits<std::int64_t>::min()).text(),
              "85070591730234615865843651857942052864");
    EXPECT_EQ((q("1Ei") * 2048).text(), "2048Ei");
    EXPECT_EQ((-q("1.5")).text(), "-1500m");
    EXPECT_EQ((-q("-9223372036854775808")).text(), "9223372036854775808");
}

TEST(Quantity, AmountsCompareNotTexts) {
    const char* ascending[] = {"-1e40", "-123456789012345678901234567890",
                               "-1",    "-1n",
                               "0",     "1n",
                               "999m",  "1",
                               "1.001", "1023",
                               "1Ki",   "1025",
                               "1E",    "1Ei",
                               "8Ei",   "9223372036854775808",
                               "1e30",  "1e400"};
    for (std::size_t i = 0; i < std::size(ascending); ++i)
        for (std::size_t j = 0; j < std::size(ascending); ++j)
            EXPECT_EQ(q(ascending[i]) <=> q(ascending[j]), i <=> j) << ascending[i] << " and " << ascending[j];
    EXPECT_EQ(q("1"), q("1000m"));
    EXPECT_EQ(q("1Ki"), q("1024"));
    EXPECT_EQ(q("1e21"), q("1000000000000000000000"));
    EXPECT_EQ(q("-0"), Quantity());
}

TEST(Quantity, RoundingUpToThousandthsSaysWhetherAnythingChanged) {
    Quantity fine = q("100n");
    EXPECT_FALSE(fine.round_up(-3));
    EXPECT_EQ(fine.text(), "1m");
    Quantity written = q("1.500");
    EXPECT_TRUE(written.round_up(-3));
    EXPECT_EQ(written.text(), "1.500");
    Quantity below = q("-123456789012345678901234567890.0001");
    EXPECT_FALSE(below.round_up(-3));
    EXPECT_EQ(below.text(), "-123456789012345678901234567890001m");
}

TEST(Quantity, IsMadeFromNumbers) {
    EXPECT_EQ(Quantity().text(), "0");
    EXPECT_EQ(Quantity::from_int(2048, Format::kBinarySI).text(), "2Ki");
    EXPECT_EQ(Quantity::from_milli(1500).text(), "1500m");
    EXPECT_EQ(Quantity::from_milli(-2000).text(), "-2");
    EXPECT_EQ(Quantity::from_int(-5).sign(), -1);
    EXPECT_EQ(q("123456789012345678901234567890").sign(), 1);
    EXPECT_DOUBLE_EQ(q("1500m").approximate(), 1.5);
    EXPECT_DOUBLE_EQ(q("-123456789012345678901234567890").approximate(), -123456789012345678901234567890.0);
}

TEST(Quantity, JsonTakesAStringOrANumberAndGivesAString) {
    using Traits = ScalarTraits<Quantity>;
    Quantity value;
    std::string error;
    std::string out;
    EXPECT_TRUE(Traits::from_json(value, {JsonToken::Kind::kNumber, "1.25"}, error));
    Traits::append_json(value, out);
    EXPECT_TRUE(Traits::from_json(value, {JsonToken::Kind::kString, " 2Gi\n"}, error));
    Traits::append_json(value, out);
    EXPECT_EQ(out, R"("1250m""2Gi")");
    EXPECT_FALSE(Traits::from_json(value, {JsonToken::Kind::kString, "  "}, error));
    EXPECT_FALSE(Traits::from_json(value, {JsonToken::Kind::kTrue, "true"}, error));
    EXPECT_TRUE(error.starts_with("quantities must match")) << error;
    EXPECT_EQ(value.text(), "2Gi");
}

TEST(Quantity, ProtobufIsAMessageWithTheText) {
    using Traits = ScalarTraits<Quantity>;
    std::string bytes;
    Traits::append_protobuf(q("1.5"), bytes);
    EXPECT_EQ(bytes,
              "\x0a\x05"
              "1500m");
    Quantity value = q("7");
    EXPECT_TRUE(Traits::from_protobuf(value, bytes));
    EXPECT_EQ(value.text(), "1500m");
    EXPECT_TRUE(Traits::from_protobuf(value, ""));
    EXPECT_EQ(value.text(), "0");
    EXPECT_TRUE(Traits::from_protobuf(value, std::string_view("\x10\x05\x0a\x01"
                                                              "3",
                                                              5)));
    EXPECT_EQ(value.text(), "3");
    EXPECT_FALSE(Traits::from_protobuf(value,
                                       "\x0a\x05"
                                       "15"));
    EXPECT_FALSE(Traits::from_protobuf(value, "\x0a\x01x"));
    EXPECT_FALSE(Traits::from_protobuf(value, "\x08\x01"));
    EXPECT_FALSE(Traits::from_protobuf(value, "\x0a"));
}

}  // namespace quantity_test
}  // namespace muster::api
