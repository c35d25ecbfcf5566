// Immutable text in eight bytes. Up to seven characters live in the word itself; longer text is one counted block
// that copies share. An API object has dozens of text fields, most of them empty and many equal from one object to
// the next; std::string would spend 32 bytes on each.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

class Text {
public:
    constexpr Text() = default;
    Text(std::string_view text);                                     // NOLINT(google-explicit-constructor)
    Text(const std::string& text) : Text(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
    Text(const char* text) : Text(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
    Text(const Text& other) noexcept : word_(other.word_) { hold(); }
    Text(Text&& other) noexcept : word_(std::exchange(other.word_, 0)) {}
    Text& operator=(const Text& other) noexcept {
        Text copy(other);
        std::swap(word_, copy.word_);
        return *this;
    }
    Text& operator=(Text&& other) noexcept {
        std::swap(word_, other.word_);
        return *this;
    }
    ~Text() {
        if (has_block()) release();
    }

    std::string_view view() const {
        if (word_ == 0) return {};
        if (is_inline()) return {reinterpret_cast<const char*>(&word_) + 1, (word_ & 0xff) >> 1};
        return {block()->chars(), block()->size};
    }
    operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
    std::string str() const { return std::string(view()); }
    bool empty() const { return word_ == 0; }
    std::size_t size() const { return view().size(); }

    // Short text is never in a block, so that two different words are two texts unless both are blocks.
    bool operator==(const Text& other) const {
        return word_ == other.word_ || (has_block() && other.has_block() && view() == other.view());
    }
    bool operator==(std::string_view other) const { return view() == other; }
    bool operator==(const char* other) const { return view() == other; }
    bool operator==(const std::string& other) const { return view() == other; }
    std::strong_ordering operator<=>(const Text& other) const { return view() <=> other.view(); }

private:
    struct Block {
        std::atomic<std::uint32_t> holders;
        std::uint32_t size;
        const char* chars() const { return reinterpret_cast<const char*>(this + 1); }
    };
    static constexpr std::size_t kInlineMax = 7;

    bool is_inline() const { return (word_ & 1) != 0; }
    Block* block() const { return reinterpret_cast<Block*>(word_); }
    bool has_block() const { return word_ != 0 && !is_inline(); }
    void hold() const {
        if (has_block()) block()->holders.fetch_add(1, std::memory_order_relaxed);
    }
    // Gives up one hold of the block; the last one frees it.
    void release() const;

    // 0: empty. Odd lowest byte: twice the length plus one, then the characters. Else a Block's address.
    std::uintptr_t word_ = 0;
};

inline std::string operator+(const Text& left, std::string_view right) { return left.str().append(right); }
inline std::string operator+(std::string_view left, const Text& right) {
    return std::string(left).append(right.view());
}

}  // namespace muster

template <>
struct std::hash<muster::Text> {
    std::size_t operator()(const muster::Text& text) const { return std::hash<std::string_view>()(text.view()); }
};
