#include "base/items.h"

#include <cstring>

namespace muster {
namespace {

constinit ItemHeader no_items;

std::byte* items_of(ItemHeader* block) { return reinterpret_cast<std::byte*>(block) + kItemsOffset; }
const std::byte* items_of(const ItemHeader* block) { return items_of(const_cast<ItemHeader*>(block)); }

ItemHeader* make_block(std::size_t room, const ValueCode& code) {
    CHECK(room <= UINT32_MAX);
    auto* block = new (::operator new(kItemsOffset + room * code.size)) ItemHeader();
    block->capacity = static_cast<std::uint32_t>(room);
    return block;
}

}  // namespace

ItemHeader* hold_no_items() {
    no_items.holders.fetch_add(1, std::memory_order_relaxed);
    return &no_items;
}

void destroy_items(ItemHeader* block, const ValueCode& code) {
    std::byte* item = items_of(block);
    for (std::uint32_t i = 0; i < block->count; ++i, item += code.size) code.destroy(item);
    ::operator delete(block, kItemsOffset + block->capacity * code.size);
}

ItemHeader* copy_items(const ItemHeader* block, const ValueCode& code) {
    if (block->count == 0) return hold_no_items();
    ItemHeader* copied = make_block(block->count, code);
    const std::byte* from = items_of(block);
    std::byte* to = items_of(copied);
    for (std::uint32_t i = 0; i < block->count; ++i, from += code.size, to += code.size) code.copy(to, from);
    copied->count = block->count;
    return copied;
}

// The same elements in a block with more room; the old one has none any more. It must not be empty's.
ItemHeader* move_items(ItemHeader* block, std::size_t capacity, const ValueCode& code) {
    ItemHeader* moved = make_block(capacity, code);
    std::memcpy(items_of(moved), items_of(block), block->count * code.size);
    moved->count = std::exchange(block->count, 0);
    return moved;
}

}  // namespace muster
