// A sorted map from text to V that copies share: labels, annotations, resource lists. A sorted sequence, because they
// are small, are read far more than written, and are printed in key order.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/intern.h"
#include "base/items.h"
#include "base/text.h"

namespace muster {

template <class V>
class Map {
public:
    struct Entry {
        Text key;
        V value;
        bool operator==(const Entry&) const = default;
    };
    using value_type = V;

    Map() = default;
    Map(std::initializer_list<std::pair<std::string_view, V>> items) {
        for (auto& [key, value] : items) set(key, value);
    }

    bool is_null() const { return entries_.is_null(); }
    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    const Entry* begin() const { return entries_.begin(); }
    const Entry* end() const { return entries_.end(); }

    const V* find(std::string_view key) const {
        const Entry* entry = std::lower_bound(begin(), end(), key, before);
        return entry != end() && entry->key == key ? &entry->value : nullptr;
    }
    bool contains(std::string_view key) const { return find(key) != nullptr; }

    // The value under key for writing, made when absent; `added` says which.
    V& edit(std::string_view key, bool* added = nullptr) { return slot(key, added); }
    // Gives false when the key was there before; the new value stands either way.
    bool set(std::string_view key, V value) {
        bool added = false;
        slot(key, &added) = std::move(value);
        return added;
    }
    bool erase(std::string_view key) {
        if (!contains(key)) return false;
        Items<Entry>& entries = entries_.make_own();
        entries.erase(std::lower_bound(entries.begin(), entries.end(), key, before));
        return true;
    }
    void make_present() { entries_.make_own(); }
    void reset() { entries_.reset(); }

    const BlockRef<ItemBlock<Entry>>& shared() const { return entries_.ref(); }
    void share(BlockRef<ItemBlock<Entry>> shared) { entries_.share(std::move(shared)); }

    bool operator==(const Map& other) const {
        return begin() == other.begin() || std::equal(begin(), end(), other.begin(), other.end());
    }

private:
    static bool before(const Entry& entry, std::string_view key) { return entry.key.view() < key; }
    V& slot(std::string_view key, bool* added) {
        Items<Entry>& entries = entries_.make_own();
        // Maps come sorted from every writer, so most keys belong at the end.
        Entry* at = !entries.empty() && before(entries.back(), key)
                        ? entries.end()
                        : std::lower_bound(entries.begin(), entries.end(), key, before);
        const bool absent = at == entries.end() || !(at->key == key);
        if (absent) at = entries.insert(at, Entry{intern(key), V{}});
        if (added) *added = absent;
        return at->value;
    }

    Items<Entry> entries_;
};

}  // namespace muster
