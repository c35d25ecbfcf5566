#include "api/codec/duplicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::api {
namespace duplicates_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Duplicates, AreNamedWithTheirFullPath) {
    EXPECT_THAT(find_duplicates(R"({"a":1,"b":{"a":2},"c":[{"a":1},{"a":[]}]})"), IsEmpty());
    EXPECT_THAT(find_duplicates(R"({"data":{"k":"1","k":"2"}})"), ElementsAre("data.k"));
    EXPECT_THAT(find_duplicates(R"({"a":1,"b":2,"a":{"c":1,"c":2},"a":3})"), ElementsAre("a", "a.c", "a"));
    EXPECT_THAT(find_duplicates(R"({"l":[1,"x",null,true,[],{"k":1,"k":1}]})"), ElementsAre("l[5].k"));
    EXPECT_THAT(find_duplicates(R"([{"op":"add"},{"op":"add","op":"test"}])"), ElementsAre("[1].op"));
    EXPECT_THAT(find_duplicates("{\"a\\u0062\":1,\"ab\":2}"), ElementsAre("ab")) << "however they are written";
    EXPECT_THAT(find_duplicates("\"x\""), IsEmpty());
    EXPECT_THAT(find_duplicates(""), IsEmpty());
}

TEST(Duplicates, AreListedUpToALimit) {
    std::string text = "{\"a\":0";
    for (int i = 0; i < 1000; ++i) text += ",\"a\":0";
    EXPECT_EQ(find_duplicates(text + "}").size(), DecodeLimits().complaints_max);
}

}  // namespace duplicates_test
}  // namespace muster::api
