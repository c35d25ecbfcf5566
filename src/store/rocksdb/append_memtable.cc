#include "store/rocksdb/append_memtable.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

#include "base/check.h"

namespace muster::store {
namespace {

using rocksdb::Slice;
using Compare = rocksdb::MemTableRep::KeyComparator;
using Entries = std::vector<const char*>;

constexpr std::size_t kSequenceBytes = 8;  // behind the user key: when it was written, and what it is

Slice user_key(const char* entry, const Compare& compare) {
    const Slice internal = compare.decode_key(entry);
    return {internal.data(), internal.size() - kSequenceBytes};
}

struct Item {
    std::uint64_t chunk;  // the next eight bytes of the key, so that numbers compare as bytes do
    const char* entry;
    bool ends;  // the key has no more bytes than these
};

void load_chunk(Item& item, std::size_t depth, const Compare& compare) {
    const Slice key = user_key(item.entry, compare);
    unsigned char bytes[8] = {};
    const std::size_t left = key.size() > depth ? key.size() - depth : 0;
    std::memcpy(bytes, key.data() + std::min(depth, key.size()), std::min<std::size_t>(left, 8));
    std::memcpy(&item.chunk, bytes, 8);
    item.chunk = __builtin_bswap64(item.chunk);
    item.ends = left <= 8;
}

void sort_items(std::span<Item> items, std::size_t depth, const Compare& compare) {
    constexpr std::size_t kFew = 8;
    for (;; depth += 8) {
        if (items.size() <= kFew) {
            std::sort(items.begin(), items.end(),
                      [&](const Item& left, const Item& right) { return compare(left.entry, right.entry) < 0; });
            return;
        }
        bool all_same = true;
        bool one_ends = false;
        for (Item& item : items) {
            load_chunk(item, depth, compare);
            all_same = all_same && item.chunk == items.front().chunk;
            one_ends = one_ends || item.ends;
        }
        if (!all_same || one_ends) break;
    }
    std::sort(items.begin(), items.end(), [](const Item& left, const Item& right) { return left.chunk < right.chunk; });
    for (std::size_t from = 0, to; from < items.size(); from = to) {
        bool one_ends = false;
        for (to = from; to < items.size() && items[to].chunk == items[from].chunk; ++to)
            one_ends = one_ends || items[to].ends;
        const std::span<Item> same = items.subspan(from, to - from);
        if (same.size() == 1) continue;
        // Where a key ends, its padding looks like bytes of a longer one; versions of one key always end here.
        if (one_ends) {
            std::sort(same.begin(), same.end(),
                      [&](const Item& left, const Item& right) { return compare(left.entry, right.entry) < 0; });
        } else {
            sort_items(same, depth + 8, compare);
        }
    }
}

class AppendMemtable final : public rocksdb::MemTableRep {
public:
    AppendMemtable(const Compare& compare, rocksdb::Allocator* allocator)
        : MemTableRep(allocator), compare_(compare), entries_(std::make_shared<Entries>()) {}

    void Insert(rocksdb::KeyHandle handle) override {
        std::lock_guard lock(mutex_);
        CHECK(!read_only_);
        entries_->push_back(static_cast<char*>(handle));
    }

    bool Contains(const char* key) const override {
        std::lock_guard lock(mutex_);
        return std::any_of(entries_->begin(), entries_->end(),
                           [&](const char* entry) { return compare_(entry, key) == 0; });
    }

    void MarkReadOnly() override {
        std::lock_guard lock(mutex_);
        read_only_ = true;
    }

    std::size_t ApproximateMemoryUsage() override {
        std::lock_guard lock(mutex_);
        return sizeof *this + entries_->capacity() * sizeof(char*);
    }

    MemTableRep::Iterator* GetIterator(rocksdb::Arena* arena) override {
        std::lock_guard lock(mutex_);
        auto entries = read_only_ ? entries_ : std::make_shared<Entries>(*entries_);
        if (!read_only_ || !sorted_) sort_entries(*entries, compare_);
        sorted_ = read_only_;
        if (!arena) return new Iterator(std::move(entries), compare_);
        // An arena's iterators are destroyed and not deleted; their room is ours, as only RocksDB itself can take some
        // of the arena.
        return new (rooms_.emplace_back().bytes) Iterator(std::move(entries), compare_);
    }

private:
    class Iterator final : public MemTableRep::Iterator {
    public:
        Iterator(std::shared_ptr<Entries> entries, const Compare& compare)
            : entries_(std::move(entries)), at_(entries_->size()), compare_(compare) {}

        bool Valid() const override { return at_ < entries_->size(); }
        const char* key() const override {
            CHECK(Valid());
            return (*entries_)[at_];
        }
        void Next() override {
            CHECK(Valid());
            ++at_;
        }
        void Prev() override { at_ = at_ == 0 ? entries_->size() : at_ - 1; }
        void Seek(const Slice& internal_key, const char*) override {
            const auto found =
                std::lower_bound(entries_->begin(), entries_->end(), internal_key,
                                 [&](const char* entry, const Slice& key) { return compare_(entry, key) < 0; });
            at_ = static_cast<std::size_t>(found - entries_->begin());
        }
        void SeekForPrev(const Slice& internal_key, const char* memtable_key) override {
            Seek(internal_key, memtable_key);
            if (!Valid() || compare_(key(), internal_key) > 0) at_ = at_ == 0 ? entries_->size() : at_ - 1;
        }
        void SeekToFirst() override { at_ = 0; }
        void SeekToLast() override { at_ = entries_->empty() ? 0 : entries_->size() - 1; }

    private:
        std::shared_ptr<Entries> entries_;
        std::size_t at_;
        const Compare& compare_;
    };
    struct Room {
        alignas(Iterator) std::byte bytes[sizeof(Iterator)];
    };

    const Compare& compare_;
    mutable std::mutex mutex_;  // guards the rest
    std::shared_ptr<Entries> entries_;
    bool read_only_ = false;
    bool sorted_ = false;
    std::deque<Room> rooms_;
};

}  // namespace

void sort_entries(Entries& entries, const Compare& compare) {
    std::vector<Item> items;
    items.reserve(entries.size());
    for (const char* entry : entries) items.push_back({0, entry, false});
    sort_items(items, 0, compare);
    for (std::size_t i = 0; i < items.size(); ++i) entries[i] = items[i].entry;
}

rocksdb::MemTableRep* AppendMemtableFactory::CreateMemTableRep(const Compare& compare, rocksdb::Allocator* allocator,
                                                               const rocksdb::SliceTransform*, rocksdb::Logger*) {
    return new AppendMemtable(compare, allocator);
}

}  // namespace muster::store
