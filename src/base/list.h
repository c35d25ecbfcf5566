// A sequence that copies share. Reads like a const vector; `edit()` is one to write to, private to this holder.
// Null (never set) and empty are told apart, because Kubernetes' JSON tells them apart.
#pragma once

#include <initializer_list>
#include <vector>

#include "base/items.h"

namespace muster {

template <class T>
class List {
public:
    using value_type = T;

    List() = default;
    List(std::initializer_list<T> items) {
        edit().reserve(items.size());
        for (const T& item : items) edit().push_back(item);
    }
    List(std::vector<T> items) {  // NOLINT(google-explicit-constructor)
        edit().reserve(items.size());
        for (T& item : items) edit().push_back(std::move(item));
    }

    bool is_null() const { return items_.is_null(); }
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    const T* data() const { return items_.data(); }
    const T* begin() const { return items_.begin(); }
    const T* end() const { return items_.end(); }
    const T& operator[](std::size_t index) const { return items_[index]; }
    const T& front() const { return items_[0]; }
    const T& back() const { return items_[size() - 1]; }
    Items<T>& edit() { return items_.make_own(); }
    void reset() { items_.reset(); }

    const BlockRef<ItemBlock<T>>& shared() const { return items_.ref(); }
    void share(BlockRef<ItemBlock<T>> shared) { items_.share(std::move(shared)); }

    // Null and empty are equal: they mean the same to everyone but the JSON writer.
    bool operator==(const List& other) const {
        if (data() == other.data() && size() == other.size()) return true;
        if (size() != other.size()) return false;
        for (std::size_t i = 0; i < size(); ++i)
            if (!((*this)[i] == other[i])) return false;
        return true;
    }

private:
    Items<T> items_;
};

}  // namespace muster
