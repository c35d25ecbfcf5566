// Values that many objects share. A stored object is immutable, so two pods made from one template hold the same
// containers, not equal copies. `BlockRef` is a reference-counted pointer of eight bytes to one allocation: `Shared<T>`
// for a value, `Items<T>` (base/items.h) for a sequence. `edit()` makes a private copy for changes if the block is
// shared. Box, List and Map are their public types. `SharedBlock` has no type parameter; it keeps a value alive without
// knowing its type.
// Invariant: a block with two holders is never written.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

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

// How a block is copied and destroyed. For a large type this can be compiled in one place instead of wherever it is
// used: the type names itself Self, declares destroy_block and copy_block, and defines its kValueCode, which lists of
// it use (see api/schema/declare.h).
template <class Block>
struct BlockCode;

template <class T>
concept HasBlockCode = std::is_same_v<typename T::Self, T>;

template <class T>
struct BlockCode<ValueBlock<T>> {
    using Block = ValueBlock<T>;
    static void destroy(Block* block) { delete block; }
    static Block* copy(const Block* block) { return new Block(block->value); }
};
template <HasBlockCode T>
struct BlockCode<ValueBlock<T>> {
    using Block = ValueBlock<T>;
    static void destroy(Block* block) { T::destroy_block(block); }
    static Block* copy(const Block* block) { return static_cast<Block*>(T::copy_block(block)); }
};

template <class Block>
class BlockRef {
public:
    constexpr BlockRef() = default;
    // Takes over one count.
    explicit BlockRef(Block* block) : block_(block) {}
    BlockRef(const BlockRef& other) noexcept : block_(other.block_) { hold(); }
    BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    BlockRef& operator=(const BlockRef& other) noexcept {
        BlockRef copy(other);
        std::swap(block_, copy.block_);
        return *this;
    }
    BlockRef& operator=(BlockRef&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~BlockRef() { drop(); }

    const void* identity() const { return block_; }
    void reset() {
        drop();
        block_ = nullptr;
    }

protected:
    friend class SharedBlock;

    bool is_alone() const { return block_->holders.load(std::memory_order_acquire) == 1; }
    void hold() const {
        if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
    }
    // A holder that is alone stays alone, and needs no atomic write to find out.
    void drop() {
        if (block_ && (is_alone() || block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1))
            BlockCode<Block>::destroy(block_);
    }

    Block* block_ = nullptr;
};

template <class T>
class Shared : public BlockRef<ValueBlock<T>> {
public:
    using Block = ValueBlock<T>;

    constexpr Shared() = default;
    explicit Shared(BlockRef<Block> ref) : BlockRef<Block>(std::move(ref)) {}

    const T* get() const { return this->block_ ? &this->block_->value : nullptr; }

    // The value for writing: created when absent, copied when someone else holds it too.
    T& edit() {
        if (!this->block_) {
            this->block_ = new Block();
        } else if (!this->is_alone()) {
            *this = Shared(BlockRef<Block>(BlockCode<Block>::copy(this->block_)));
        }
        return this->block_->value;
    }
};

// Keeps any block alive and remembers which it is.
class SharedBlock {
public:
    SharedBlock() = default;
    template <class Block>
    explicit SharedBlock(const BlockRef<Block>& ref)
        : block_(ref.block_),
          destroy_([](BlockHeader* block) { BlockCode<Block>::destroy(static_cast<Block*>(block)); }) {
        ref.hold();
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

    // The typed holder again; it must be of the type this was made from.
    template <class Block>
    BlockRef<Block> ref() const {
        if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
        return BlockRef<Block>(static_cast<Block*>(block_));
    }
    template <class T>
    Shared<T> as() const {
        return Shared<T>(ref<ValueBlock<T>>());
    }

private:
    BlockHeader* block_ = nullptr;
    void (*destroy_)(BlockHeader*) = nullptr;
};

}  // namespace muster
