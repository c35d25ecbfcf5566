#include "base/text.h"

#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"

namespace muster {

static_assert(std::endian::native == std::endian::little, "Text keeps its length in the lowest byte of its word");

Text::Text(std::string_view text) {
    if (text.empty()) return;
    if (text.size() <= kInlineMax) {
        word_ = (text.size() << 1) | 1;
        std::memcpy(reinterpret_cast<char*>(&word_) + 1, text.data(), text.size());
        return;
    }
    CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
    void* memory = ::operator new(sizeof(Block) + text.size());
    Block* block = new (memory) Block{1, static_cast<std::uint32_t>(text.size())};
    std::memcpy(reinterpret_cast<char*>(block + 1), text.data(), text.size());
    word_ = reinterpret_cast<std::uintptr_t>(block);
}

void Text::release() const {
    Block* freed = block();
    // A holder that is alone stays alone, and needs no atomic write to find out.
    if (freed->holders.load(std::memory_order_acquire) != 1 &&
        freed->holders.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    const std::size_t bytes = sizeof(Block) + freed->size;
    freed->~Block();
    ::operator delete(freed, bytes);
}

}  // namespace muster
