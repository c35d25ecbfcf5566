#include "store/rocksdb/append_memtable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "base/prng.h"

namespace muster::store {
namespace append_memtable_test {

// As RocksDB orders: by user key, and of one key the newest first.
class Order final : public rocksdb::MemTableRep::KeyComparator {
public:
    int operator()(const char* left, const char* right) const override { return (*this)(left, decode_key(right)); }
    int operator()(const char* left, const rocksdb::Slice& right) const override {
        const rocksdb::Slice key = decode_key(left);
        const rocksdb::Slice user(key.data(), key.size() - 8);
        const int by_key = user.compare(rocksdb::Slice(right.data(), right.size() - 8));
        if (by_key != 0) return by_key;
        return -std::memcmp(key.data() + key.size() - 8, right.data() + right.size() - 8, 8);
    }
};

std::string entry(const std::string& key, unsigned char sequence) {
    std::string text(1, static_cast<char>(key.size() + 8));
    return text + key + std::string(7, '\0') + static_cast<char>(sequence) + "value";
}

TEST(AppendMemtable, SortsAsTheComparatorDoesWhateverTheKeys) {
    const Order order;
    Prng chance(7);
    for (int round = 0; round < 200; ++round) {
        std::deque<std::string> texts;
        std::vector<const char*> entries;
        // Few letters, zeros among them, and all lengths around the width of a chunk.
        const std::size_t length_max = 1 + chance.below(30);
        const std::string common(chance.below(20), 'p');
        for (std::size_t i = 0, count = chance.below(300); i < count; ++i) {
            std::string key = common;
            for (std::size_t j = 0, length = chance.below(length_max); j < length; ++j)
                key.push_back(std::string("\0ab\xff", 4)[chance.below(4)]);
            texts.push_back(entry(key, static_cast<unsigned char>(i)));
            entries.push_back(texts.back().data());
        }
        std::vector<const char*> expected = entries;
        std::sort(expected.begin(), expected.end(),
                  [&](const char* left, const char* right) { return order(left, right) < 0; });
        sort_entries(entries, order);
        for (std::size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(order(entries[i], expected[i]), 0) << round;
    }
}

TEST(AppendMemtable, IteratorsFindSkipAndTurnBack) {
    const Order order;
    AppendMemtableFactory factory;
    const std::unique_ptr<rocksdb::MemTableRep> table(factory.CreateMemTableRep(order, nullptr, nullptr, nullptr));
    std::deque<std::string> texts;
    for (const char* key : {"m", "c", "x", "c"}) {
        texts.push_back(entry(key, static_cast<unsigned char>(texts.size())));
        table->Insert(texts.back().data());
    }
    EXPECT_TRUE(table->Contains(texts[2].data()));
    EXPECT_FALSE(table->Contains(entry("q", 0).data()));
    const auto keys_from = [&](const std::string& from) {
        const std::unique_ptr<rocksdb::MemTableRep::Iterator> it(table->GetIterator(nullptr));
        std::string keys;
        const std::string internal = from + std::string(8, '\xff');
        for (it->Seek(internal, nullptr); it->Valid(); it->Next()) keys += order.decode_key(it->key())[0];
        return keys;
    };
    EXPECT_EQ(keys_from("a"), "ccmx");
    EXPECT_EQ(keys_from("d"), "mx");
    EXPECT_EQ(keys_from("y"), "");
    table->MarkReadOnly();
    EXPECT_EQ(keys_from("c"), "ccmx");
    const std::unique_ptr<rocksdb::MemTableRep::Iterator> it(table->GetIterator(nullptr));
    it->SeekToLast();
    EXPECT_EQ(order.decode_key(it->key())[0], 'x');
    it->Prev();
    EXPECT_EQ(order.decode_key(it->key())[0], 'm');
    it->SeekForPrev("d" + std::string(8, '\xff'), nullptr);
    EXPECT_EQ(order.decode_key(it->key())[0], 'c');
    it->SeekForPrev("a" + std::string(8, '\xff'), nullptr);
    EXPECT_FALSE(it->Valid());
    it->SeekToFirst();
    it->Prev();
    EXPECT_FALSE(it->Valid());
}

}  // namespace append_memtable_test
}  // namespace muster::store
