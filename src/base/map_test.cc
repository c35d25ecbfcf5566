#include "base/map.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/prng.h"

namespace muster {
namespace map_test {

static_assert(sizeof(Map<Text>) == 8);

TEST(Map, FindsWhatWasSetAndNothingElse) {
    Map<int> map{{"b", 2}, {"a", 1}};
    ASSERT_TRUE(map.find("a"));
    EXPECT_EQ(*map.find("a"), 1);
    EXPECT_EQ(map.find(""), nullptr);
    EXPECT_EQ(map.find("ab"), nullptr);
    EXPECT_EQ(map.find("c"), nullptr);
    EXPECT_TRUE(map.contains("b"));
}

TEST(Map, SetSaysWhetherTheKeyIsNewAndTheNewValueStands) {
    Map<int> map;
    EXPECT_TRUE(map.set("a", 1));
    EXPECT_FALSE(map.set("a", 2));
    EXPECT_EQ(*map.find("a"), 2);
    EXPECT_EQ(map.size(), 1u);
}

TEST(Map, EditMakesAnAbsentValue) {
    Map<std::string> map;
    map.edit("a") += "x";
    map.edit("a") += "y";
    EXPECT_EQ(*map.find("a"), "xy");
}

TEST(Map, EraseOfAnAbsentKeyCopiesNothing) {
    Map<int> map{{"a", 1}};
    const Map<int> copy = map;
    EXPECT_FALSE(map.erase("b"));
    EXPECT_EQ(map.shared().identity(), copy.shared().identity());
    EXPECT_TRUE(map.erase("a"));
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(copy.size(), 1u);
}

TEST(Map, TellsNullFromEmptyButHoldsThemEqual) {
    Map<int> empty;
    EXPECT_TRUE(empty.is_null());
    empty.make_present();
    EXPECT_FALSE(empty.is_null());
    EXPECT_EQ(empty, Map<int>());
    EXPECT_NE(empty, (Map<int>{{"a", 1}}));
    EXPECT_NE((Map<int>{{"a", 1}}), empty);
    EXPECT_NE((Map<int>{{"a", 1}}), (Map<int>{{"a", 2}}));
    EXPECT_NE((Map<int>{{"a", 1}}), (Map<int>{{"b", 1}}));
    EXPECT_EQ((Map<int>{{"a", 1}, {"b", 2}}), (Map<int>{{"b", 2}, {"a", 1}}));
}

TEST(Map, AgreesWithASortedMapUnderRandomChanges) {
    Prng prng(1);
    Map<int> map;
    std::map<std::string, int> model;
    for (int i = 0; i < 5'000; ++i) {
        const std::string key = std::to_string(prng.below(60));
        if (prng.chance(1, 3)) {
            ASSERT_EQ(map.erase(key), model.erase(key) == 1);
        } else {
            ASSERT_EQ(map.set(key, i), model.insert_or_assign(key, i).second);
        }
        ASSERT_EQ(map.size(), model.size());
    }
    auto expected = model.begin();
    for (const auto& entry : map) {
        EXPECT_EQ(entry.key, expected->first);
        EXPECT_EQ(entry.value, expected->second);
        ++expected;
    }
}

}  // namespace map_test
}  // namespace muster
