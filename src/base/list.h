// A sequence that copies share. Reads like a const vector; `edit()` is the vector itself, private to this holder.
// Null (never set) and empty are told apart, because Kubernetes' JSON tells them apart.
#pragma once

#include <initializer_list>
#include <vector>

#include "base/shared.h"

namespace muster {

template <class T>
class List {
public:
    using value_type = T;

    List() = default;
    List(std::initializer_list<T> items) { shared_.edit() = items; }
    List(std::vector<T> items) { shared_.edit() = std::move(items); }  // NOLINT(google-explicit-constructor)

    bool is_null() const { return shared_.get() == nullptr; }
    bool empty() const { return size() == 0; }
    std::size_t size() const { return shared_.get() ? shared_.get()->size() : 0; }
    const T* data() const { return shared_.get() ? shared_.get()->data() : nullptr; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    const T& operator[](std::size_t index) const { return (*shared_.get())[index]; }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size() - 1]; }
    std::vector<T>& edit() { return shared_.edit(); }
    void reset() { shared_.reset(); }

    const Shared<std::vector<T>>& shared() const { return shared_; }
    void share(Shared<std::vector<T>> shared) { shared_ = std::move(shared); }

    // Null and empty are equal: they mean the same to everyone but the JSON writer.
    bool operator==(const List& other) const {
        if (data() == other.data() && size() == other.size()) return true;
        if (size() != other.size()) return false;
        for (std::size_t i = 0; i < size(); ++i)
            if (!((*this)[i] == other[i])) return false;
        return true;
    }

private:
    Shared<std::vector<T>> shared_;
};

}  // namespace muster
