// A sorted map from text to V that copies share: labels, annotations, resource lists. A sorted vector, because they
// are small, are read far more than written, and are printed in key order.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/intern.h"
#include "base/shared.h"
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
    using Entries = std::vector<Entry>;

    Map() = default;
    Map(std::initializer_list<std::pair<std::string_view, V>> items) {
        for (auto& [key, value] : items) set(key, value);
    }

    bool is_null() const { return entries_.get() == nullptr; }
    bool empty() const { return size() == 0; }
    std::size_t size() const { return entries_.get() ? entries_.get()->size() : 0; }
    const Entry* begin() const { return entries_.get() ? entries_.get()->data() : nullptr; }
    const Entry* end() const { return begin() + size(); }

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
        Entries& entries = entries_.edit();
        entries.erase(std::lower_bound(entries.begin(), entries.end(), key, before));
        return true;
    }
    void make_present() { entries_.edit(); }
    void reset() { entries_.reset(); }

    const Shared<Entries>& shared() const { return entries_; }
    void share(Shared<Entries> shared) { entries_ = std::move(shared); }

    bool operator==(const Map& other) const {
        return begin() == other.begin() || std::equal(begin(), end(), other.begin(), other.end());
    }

private:
    static bool before(const Entry& entry, std::string_view key) { return entry.key.view() < key; }
    V& slot(std::string_view key, bool* added) {
        Entries& entries = entries_.edit();
        // Maps come sorted from every writer, so most keys belong at the end.
        auto at = !entries.empty() && before(entries.back(), key)
                      ? entries.end()
                      : std::lower_bound(entries.begin(), entries.end(), key, before);
        const bool absent = at == entries.end() || !(at->key == key);
        if (absent) at = entries.insert(at, Entry{intern(key), V{}});
        if (added) *added = absent;
        return at->value;
    }

    Shared<Entries> entries_;
};

}  // namespace muster
