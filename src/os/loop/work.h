// Something to be called once, later, somewhere else. Like std::function<void()>, but it moves and never copies, so it
// may own what it carries; and the usual few captured words need no allocation.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace muster::os {

class Work {
public:
    Work() = default;
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Work> && std::is_invocable_v<std::remove_cvref_t<F>&>)
        Work(F&& call) {  // NOLINT(google-explicit-constructor)
        using Held = std::remove_cvref_t<F>;
        if constexpr (fits<Held>) {
            new (room_) Held(std::forward<F>(call));
            actions_ = &kInPlace<Held>;
        } else {
            new (room_) Held*(new Held(std::forward<F>(call)));
            actions_ = &kOnHeap<Held>;
        }
    }
    Work(Work&& other) noexcept { take(other); }
    Work& operator=(Work&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~Work() { reset(); }

    explicit operator bool() const { return actions_ != nullptr; }
    void operator()() {
        CHECK(actions_);
        actions_->call(room_);
    }

private:
    static constexpr std::size_t kRoom = 48;
    struct Actions {
        void (*call)(void* room);
        void (*move)(void* from, void* to);  // leaves nothing at `from`
        void (*destroy)(void* room);
    };

    template <class Held>
    static constexpr bool fits =
        sizeof(Held) <= kRoom &&
        alignof(Held) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Held>;
    template <class Held>
    static constexpr Actions kInPlace = {
        [](void* room) { (*static_cast<Held*>(room))(); },
        [](void* from, void* to) {
            new (to) Held(std::move(*static_cast<Held*>(from)));
            static_cast<Held*>(from)->~Held();
        },
        [](void* room) { static_cast<Held*>(room)->~Held(); },
    };
    template <class Held>
    static constexpr Actions kOnHeap = {
        [](void* room) { (**static_cast<Held**>(room))(); },
        [](void* from, void* to) { new (to) Held*(*static_cast<Held**>(from)); },
        [](void* room) { delete *static_cast<Held**>(room); },
    };

    void take(Work& other) {
        actions_ = std::exchange(other.actions_, nullptr);
        if (actions_) actions_->move(other.room_, room_);
    }
    void reset() {
        if (const Actions* actions = std::exchange(actions_, nullptr)) actions->destroy(room_);
    }

    const Actions* actions_ = nullptr;
    alignas(std::max_align_t) std::byte room_[kRoom];
};

}  // namespace muster::os
