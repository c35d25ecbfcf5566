#include "base/items.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/list.h"
#include "base/prng.h"
#include "base/text.h"

namespace muster {
namespace items_test {

std::string text(std::uint64_t number) { return "a text too long to be kept in place " + std::to_string(number); }

// Chance edits a List and a vector alike; copies taken on the way must stay as they were.
TEST(Items, DoWhatAVectorDoes) {
    Prng chance(1);
    List<std::string> list;
    std::vector<std::string> vector;
    std::vector<std::pair<List<std::string>, std::vector<std::string>>> copies;
    const auto place = [&] { return vector.empty() ? 0 : chance.below(vector.size()); };
    for (int i = 0; i < 20'000; ++i) {
        const std::size_t at = place();
        const auto offset = static_cast<std::ptrdiff_t>(at);
        switch (chance.below(vector.size() > 40 ? 11 : 9)) {
            case 0:
            case 1:
                list.edit().push_back(text(at));
                vector.push_back(text(at));
                break;
            case 2:
                EXPECT_EQ(list.edit().emplace_back(3, 'x'), "xxx");
                vector.emplace_back(3, 'x');
                break;
            case 3:
                EXPECT_EQ(*list.edit().insert(list.edit().begin() + at, text(at)), text(at));
                vector.insert(vector.begin() + offset, text(at));
                break;
            case 4: {
                const std::string three[3] = {text(1), text(2), text(3)};
                list.edit().insert(list.edit().begin() + at, three, three + 3);
                vector.insert(vector.begin() + offset, three, three + 3);
                break;
            }
            case 5:
                if (vector.empty()) break;
                list.edit().erase(list.edit().begin() + at);
                vector.erase(vector.begin() + offset);
                break;
            case 6:
                if (vector.empty()) break;
                list.edit()[at] += "!";
                vector[at] += "!";
                break;
            case 7:
                list.edit().resize(at + 2);
                vector.resize(at + 2);
                break;
            case 8: copies.emplace_back(list, vector); break;
            case 9:
                list.edit().erase(list.edit().begin() + at, list.edit().end());
                vector.erase(vector.begin() + offset, vector.end());
                break;
            case 10:
                list.edit().clear();
                vector.clear();
                break;
        }
        ASSERT_EQ(std::vector<std::string>(list.begin(), list.end()), vector);
        if (copies.size() > 8) copies.erase(copies.begin());
        for (const auto& [shared, expected] : copies)
            ASSERT_EQ(std::vector<std::string>(shared.begin(), shared.end()), expected);
    }
}

TEST(Items, AnElementCanBeMadeOfAnotherOneWhileTheyMove) {
    List<std::string> list{text(1)};
    for (int i = 0; i < 20; ++i) list.edit().push_back(list.edit().front());
    for (int i = 0; i < 20; ++i) list.edit().emplace_back(list.edit().back());
    for (const std::string& one : list) EXPECT_EQ(one, text(1));
}

TEST(Items, EveryElementIsDestroyedOnce) {
    const auto counted = std::make_shared<int>(0);
    {
        List<std::shared_ptr<int>> list;
        for (int i = 0; i < 100; ++i) list.edit().push_back(counted);
        EXPECT_EQ(counted.use_count(), 101);
        List<std::shared_ptr<int>> copy = list;
        EXPECT_EQ(counted.use_count(), 101);
        copy.edit().pop_back();
        EXPECT_EQ(counted.use_count(), 200);
        copy.edit().resize(10);
        EXPECT_EQ(counted.use_count(), 111);
        list = copy;
        EXPECT_EQ(counted.use_count(), 11);
        copy = List<std::shared_ptr<int>>();
        list.edit().erase(list.edit().begin(), list.edit().begin() + 9);
        EXPECT_EQ(counted.use_count(), 2);
    }
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(Items, EmptyIsNotNull) {
    List<std::int32_t> list;
    EXPECT_TRUE(list.is_null());
    list.edit();
    EXPECT_FALSE(list.is_null());
    EXPECT_TRUE(list.empty());
    List<std::int32_t> copy = list;
    list.edit().clear();
    list.edit().push_back(7);
    EXPECT_FALSE(copy.is_null());
    EXPECT_TRUE(copy.empty());
    EXPECT_EQ(list[0], 7);
    list.edit().pop_back();
    EXPECT_FALSE(list.is_null());
    EXPECT_EQ(list, copy);
    list.reset();
    EXPECT_TRUE(list.is_null());
}

TEST(Items, ElementsStandWhereTheirTypeWantsThem) {
    struct alignas(16) Wide {
        char bytes[16];
    };
    List<Wide> wide;
    List<char> narrow;
    for (int i = 0; i < 5; ++i) {
        wide.edit().emplace_back();
        narrow.edit().push_back('x');
    }
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.data()) % 16, 0u);
    EXPECT_EQ(narrow.size(), 5u);
}

// A type with block code of its own, as declared types have it. It counts its values.
struct Counted {
    using Self = Counted;
    static const ValueCode kValueCode;
    static inline int alive = 0;

    Counted(Text text) : name(std::move(text)) { ++alive; }  // NOLINT(google-explicit-constructor)
    Counted(const Counted& other) noexcept : name(other.name) { ++alive; }
    Counted& operator=(const Counted&) = default;
    ~Counted() { --alive; }

    Text name;
};
constinit const ValueCode Counted::kValueCode{
    sizeof(Counted), [](void* value) noexcept { static_cast<Counted*>(value)->~Counted(); },
    [](void* to, const void* value) noexcept { new (to) Counted(*static_cast<const Counted*>(value)); }};

TEST(Items, OfATypeWithBlockCodeAreCopiedMovedAndDestroyedOnceEach) {
    constexpr std::size_t kCount = 100;
    {
        List<Counted> list;
        for (std::size_t i = 0; i < kCount; ++i) list.edit().push_back(Text(text(i)));  // its room grows several times
        EXPECT_EQ(Counted::alive, 100);
        List<Counted> copy = list;
        EXPECT_EQ(Counted::alive, 100);  // shared
        copy.edit().pop_back();
        EXPECT_EQ(Counted::alive, 199);
        ASSERT_EQ(list.size(), kCount);
        ASSERT_EQ(copy.size(), kCount - 1);
        for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(list[i].name, text(i));
        for (std::size_t i = 0; i + 1 < kCount; ++i) EXPECT_EQ(copy[i].name, text(i));
        copy.reset();
        EXPECT_EQ(Counted::alive, 100);
    }
    EXPECT_EQ(Counted::alive, 0);

    List<Counted> empty;
    empty.edit();
    List<Counted> other = empty;
    EXPECT_FALSE(other.is_null());
    other.edit().push_back(Text("a"));
    EXPECT_EQ(other[0].name, "a");
    EXPECT_TRUE(empty.empty());
}

}  // namespace items_test
}  // namespace muster
