// Values that many objects hold at once. A stored object is immutable, so two pods made from one template hold the
// same containers, not equal ones. `Shared<T>` is that holder: eight bytes, copied by counting, and `edit()` gives a
// private copy to whoever wants to change it. Box, List and Map are its three faces; `SharedBlock` is the nameless
// one, for those who keep a value alive without knowing its type.
// Invariant: a block reachable from two holders is never written.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster {

struct BlockHeader {
    mutable std::atomic<std::uint32_t> holders{1};
};

template <class T>
struct ValueBlock : BlockHeader {
    T value;
    template <class... Args>
    explicit ValueBlock(Args&&... args) : value(std::forward<Args>(args)...) {}
};

// How blocks are copied and destroyed. A large type can have this compiled in one place instead of wherever it is
// used: it names itself Self, and declares destroy_block, copy_block and their list twins for vectors of it (see
// api/schema/declare.h).
template <class T>
struct BlockCode {
    static void destroy(ValueBlock<T>* block) { delete block; }
    static ValueBlock<T>* copy(const ValueBlock<T>* block) { return new ValueBlock<T>(block->value); }
};
template <class T>
requires std::is_same_v<typename T::Self, T>
struct BlockCode<T> {
    static void destroy(ValueBlock<T>* block) { T::destroy_block(block); }
    static ValueBlock<T>* copy(const ValueBlock<T>* block) { return static_cast<ValueBlock<T>*>(T::copy_block(block)); }
};
template <class T>
requires std::is_same_v<typename T::Self, T>
struct BlockCode<std::vector<T>> {
    using Block = ValueBlock<std::vector<T>>;
    static void destroy(Block* block) { T::destroy_list_block(block); }
    static Block* copy(const Block* block) { return static_cast<Block*>(T::copy_list_block(block)); }
};

template <class T>
class Shared {
public:
    using Block = ValueBlock<T>;

    constexpr Shared() = default;
    Shared(const Shared& other) noexcept : block_(other.block_) { hold(); }
    Shared(Shared&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    Shared& operator=(const Shared& other) noexcept {
        Shared copy(other);
        std::swap(block_, copy.block_);
        return *this;
    }
    Shared& operator=(Shared&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~Shared() { drop(); }

    const T* get() const { return block_ ? &block_->value : nullptr; }
    const void* identity() const { return block_; }

    // The value for writing: created when absent, copied when someone else holds it too.
    T& edit() {
        if (!block_) {
            block_ = new Block();
        } else if (block_->holders.load(std::memory_order_acquire) != 1) {
            Block* copy = BlockCode<T>::copy(block_);
            drop();
            block_ = copy;
        }
        return block_->value;
    }
    void reset() {
        drop();
        block_ = nullptr;
    }

private:
    friend class SharedBlock;
    explicit Shared(Block* block) : block_(block) {}

    void hold() const {
        if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
    }
    void drop() {
        if (block_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) BlockCode<T>::destroy(block_);
    }

    Block* block_ = nullptr;
};

// Keeps any Shared<T>'s value alive and remembers which it is.
class SharedBlock {
public:
    SharedBlock() = default;
    template <class T>
    explicit SharedBlock(const Shared<T>& shared)
        : block_(shared.block_),
          destroy_([](BlockHeader* block) { BlockCode<T>::destroy(static_cast<ValueBlock<T>*>(block)); }) {
        shared.hold();
    }
    SharedBlock(const SharedBlock& other) noexcept : block_(other.block_), destroy_(other.destroy_) {
        if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
    }
    SharedBlock(SharedBlock&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)), destroy_(std::exchange(other.destroy_, nullptr)) {}
    SharedBlock& operator=(SharedBlock other) noexcept {
        std::swap(block_, other.block_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~SharedBlock() {
        if (block_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(block_);
    }

    const void* identity() const { return block_; }
    bool held_elsewhere() const { return block_ && block_->holders.load(std::memory_order_acquire) > 1; }

    // The typed holder again; T must be the type this was made from.
    template <class T>
    Shared<T> as() const {
        Shared<T> shared(static_cast<typename Shared<T>::Block*>(block_));
        shared.hold();
        return shared;
    }

private:
    BlockHeader* block_ = nullptr;
    void (*destroy_)(BlockHeader*) = nullptr;
};

}  // namespace muster
