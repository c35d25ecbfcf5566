// The storage of List and Map: a sequence in one block, with its count and elements behind the header, so that reading
// it costs one cache miss and keeping it one allocation. Its editing interface is like a vector's.
// Invariant: changing functions are called only by the only holder; `edit()` of List and Map ensures that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "base/check.h"
#include "base/shared.h"

namespace muster {

struct ItemHeader : BlockHeader {
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
};

// The one block of all sequences that are present and empty, of any type. It has no capacity, so it is never written.
ItemHeader* hold_no_items();

template <class T>
struct ItemBlock : ItemHeader {
    T* items() { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset()); }
    const T* items() const { return const_cast<ItemBlock*>(this)->items(); }

    static ItemBlock* make(std::size_t room) {
        CHECK(room <= UINT32_MAX);
        auto* block = new (::operator new(bytes(room))) ItemBlock();
        block->capacity = static_cast<std::uint32_t>(room);
        return block;
    }
    static void free(ItemBlock* block) { ::operator delete(block, bytes(block->capacity)); }

    static ItemBlock* none() { return static_cast<ItemBlock*>(hold_no_items()); }

    static constexpr std::size_t offset() { return (sizeof(ItemBlock) + alignof(T) - 1) / alignof(T) * alignof(T); }

private:
    static constexpr std::size_t bytes(std::size_t room) { return offset() + room * sizeof(T); }
};

template <class T>
struct ItemCode {
    using Block = ItemBlock<T>;
    static void destroy(Block* block) {
        std::destroy_n(block->items(), block->count);
        Block::free(block);
    }
    static Block* copy(const Block* block) {
        if (block->count == 0) return Block::none();
        Block* copied = Block::make(block->count);
        std::uninitialized_copy_n(block->items(), block->count, copied->items());
        copied->count = block->count;
        return copied;
    }
    // The same elements in a block with more room. The old one must not be empty's.
    static Block* move_to(Block* block, std::size_t capacity) {
        Block* moved = Block::make(capacity);
        std::uninitialized_move_n(block->items(), block->count, moved->items());
        moved->count = block->count;
        return moved;
    }
};

template <class T>
struct BlockCode<ItemBlock<T>> : ItemCode<T> {};

// What lists do with the values of a type, for types with block code of their own: one code for the lists of all of
// them. A copy does not throw, and a value can be moved to another place as bytes.
struct ValueCode {
    std::size_t size;
    void (*destroy)(void* value) noexcept;
    void (*copy)(void* to, const void* value) noexcept;
};
// Items begin here in a block of any of these types.
inline constexpr std::size_t kItemsOffset = 16;
void destroy_items(ItemHeader* block, const ValueCode& code);
ItemHeader* copy_items(const ItemHeader* block, const ValueCode& code);
ItemHeader* move_items(ItemHeader* block, std::size_t capacity, const ValueCode& code);

template <HasBlockCode T>
struct BlockCode<ItemBlock<T>> {
    using Block = ItemBlock<T>;
    static_assert(Block::offset() == kItemsOffset);
    static void destroy(Block* block) { destroy_items(block, T::kValueCode); }
    static Block* copy(const Block* block) { return static_cast<Block*>(copy_items(block, T::kValueCode)); }
    static Block* move_to(Block* block, std::size_t capacity) {
        return static_cast<Block*>(move_items(block, capacity, T::kValueCode));
    }
};

template <class T>
class Items : private BlockRef<ItemBlock<T>> {
public:
    using Block = ItemBlock<T>;
    using value_type = T;

    std::size_t size() const { return this->block_ ? this->block_->count : 0; }
    bool empty() const { return size() == 0; }
    const T* data() const { return this->block_ ? this->block_->items() : nullptr; }
    T* data() { return this->block_ ? this->block_->items() : nullptr; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    const T& operator[](std::size_t index) const { return data()[index]; }
    T& operator[](std::size_t index) { return data()[index]; }
    T& front() { return (*this)[0]; }
    T& back() { return (*this)[size() - 1]; }

    template <class... Args>
    T& emplace_back(Args&&... args) {
        if (sizeof...(Args) == 0) {
            if (size() == this->block_->capacity) make_room();
        } else if (size() == this->block_->capacity) {
            T made(std::forward<Args>(args)...);  // before the old elements go, which it may be made of
            make_room();
            return *new (data() + this->block_->count++) T(std::move(made));
        }
        return *new (data() + this->block_->count++) T(std::forward<Args>(args)...);
    }
    void push_back(T value) { emplace_back(std::move(value)); }
    void pop_back() { std::destroy_at(data() + --this->block_->count); }
    T* insert(const T* at, T value) {
        const std::ptrdiff_t place = at - data();
        emplace_back(std::move(value));
        std::rotate(begin() + place, end() - 1, end());
        return begin() + place;
    }
    template <class From>
    void insert(const T* at, From first, From last) {
        const std::ptrdiff_t place = at - data();
        const std::size_t before = size();
        for (; first != last; ++first) emplace_back(*first);
        std::rotate(begin() + place, begin() + before, end());
    }
    T* erase(const T* at) { return erase(at, at + 1); }
    T* erase(const T* first, const T* last) {
        T* to = begin() + (first - data());
        T* kept = std::move(begin() + (last - data()), end(), to);
        while (end() != kept) pop_back();
        return to;
    }
    void clear() { erase(begin(), end()); }
    void resize(std::size_t count) {
        while (size() > count) pop_back();
        reserve(count);
        while (size() < count) emplace_back();
    }
    void reserve(std::size_t capacity) {
        if (capacity > this->block_->capacity) move_to(capacity);
    }

private:
    template <class>
    friend class List;
    template <class>
    friend class Map;

    // A copy outside of List or Map could be written while it is shared.
    Items() = default;
    Items(const Items&) = default;
    Items(Items&&) noexcept = default;
    Items& operator=(const Items&) = default;
    Items& operator=(Items&&) noexcept = default;

    const BlockRef<Block>& ref() const { return *this; }
    void share(BlockRef<Block> ref) { BlockRef<Block>::operator=(std::move(ref)); }
    using BlockRef<Block>::reset;

    bool is_null() const { return !this->block_; }
    Items& make_own() {
        if (!this->block_) {
            this->block_ = Block::none();
        } else if (!this->is_alone()) {
            share(BlockRef<Block>(BlockCode<Block>::copy(this->block_)));
        }
        return *this;
    }
    // Grows by little while it is small: most lists have a handful of elements, and they are kept for long.
    void make_room() { move_to(size() < 4 ? size() + 1 : size() + size() / 2); }
    void move_to(std::size_t capacity) {
        share(BlockRef<Block>(this->block_->capacity == 0 ? Block::make(capacity)
                                                          : BlockCode<Block>::move_to(this->block_, capacity)));
    }
};

}  // namespace muster
