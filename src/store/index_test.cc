#include "store/index.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace muster::store {
namespace index_test {

struct Nothing final : Object {
    std::string_view uid() const override { return ""; }
    void stamp(Revision) override {}
    Difference difference_from(const Object&) const override { return Difference::kNone; }
    void encode_own(RecordWriter&) const override {}
    void encode_status(RecordWriter&) const override {}
    std::size_t weight(const Object*) const override { return sizeof(Nothing); }
};

// Against a std::map: the same keys, found, walked and counted alike, while chunks split and merge.
TEST(Index, HoldsTheSameAsAMap) {
    Prng chance(3);
    Index index;
    std::map<std::string, bool> model;  // key, whether it holds an object
    const auto object = std::make_shared<const Nothing>();
    const auto check = [&] {
        const std::string from = std::to_string(chance.below(30'000));
        const std::string to = std::to_string(chance.below(30'000));
        auto expected = model.lower_bound(from);
        auto position = index.lower_bound(from);
        auto live_position = position;
        std::size_t live = 0;
        for (; expected != model.end(); ++expected) {
            const Entry* entry = index.next(position);
            ASSERT_TRUE(entry);
            ASSERT_EQ(entry->key.view(), expected->first);
            live += expected->second && expected->first < to;
            if (expected->second) {
                ASSERT_EQ(index.next_live(live_position), entry);
            }
        }
        ASSERT_FALSE(index.next_live(live_position));
        ASSERT_FALSE(index.next(position));
        if (from > to) return;
        ASSERT_EQ(index.live_between(index.lower_bound(from), index.lower_bound(to)), live);
    };
    for (int i = 0; i < 60'000; ++i) {
        // Grows, then shrinks to nearly nothing.
        const bool growing = i < 30'000;
        const std::string key = std::to_string(chance.below(30'000));
        Entry* entry = index.find(key);
        ASSERT_EQ(entry != nullptr, model.contains(key));
        if (!entry && growing) {
            entry = &index.insert(Text(key));
            entry->object = object;
            index.count_live(*entry);
            model[key] = true;
        } else if (entry && entry->object) {
            entry->object = nullptr;
            index.count_removed(*entry);
            model[key] = false;
        } else if (entry && !growing) {
            index.erase(*entry);
            model.erase(key);
        }
        if (i % 2000 == 0) check();
    }
    check();
}

TEST(Index, TakesKeysInOrderWithoutWasteAndBeforeItsFirst) {
    Index index;
    for (int i = 1000; i < 2000; ++i) index.insert(Text(std::to_string(i)));
    for (int i = 999; i >= 100; --i) index.insert(Text("0" + std::to_string(i)));
    auto position = index.lower_bound("");
    for (int i = 100; i < 2000; ++i) {
        const Entry* entry = index.next(position);
        ASSERT_TRUE(entry);
        ASSERT_EQ(entry->key.view(), (i < 1000 ? "0" : "") + std::to_string(i));
    }
}

}  // namespace index_test
}  // namespace muster::store
