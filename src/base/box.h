// An optional sub-object that copies share: null, or a T. Where Kubernetes' Go type has a pointer to a struct, ours
// has a Box. Reading is `box->field`; writing is `box.edit().field = …`, which makes it exist.
#pragma once

#include "base/check.h"
#include "base/shared.h"

namespace muster {

template <class T>
class Box {
public:
    Box() = default;
    Box(T value) { shared_.edit() = std::move(value); }  // NOLINT(google-explicit-constructor)

    explicit operator bool() const { return shared_.get() != nullptr; }
    const T* get() const { return shared_.get(); }
    const T& operator*() const {
        CHECK(shared_.get());
        return *shared_.get();
    }
    const T* operator->() const { return &**this; }
    T& edit() { return shared_.edit(); }
    void reset() { shared_.reset(); }

    const Shared<T>& shared() const { return shared_; }
    void share(Shared<T> shared) { shared_ = std::move(shared); }

    bool operator==(const Box& other) const {
        if (get() == other.get()) return true;
        return get() && other.get() && *get() == *other.get();
    }

private:
    Shared<T> shared_;
};

}  // namespace muster
