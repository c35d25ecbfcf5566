#include "store/index.h"

#include <algorithm>

#include "base/check.h"

namespace muster::store {

Index::Index() { chunks_.push_back(std::make_unique<Chunk>()); }

Index::~Index() {
    for (const auto& chunk : chunks_)
        for (Entry* entry : chunk->entries) delete entry;
}

Entry* Index::find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : *found;
}

std::size_t Index::chunk_of(std::string_view key) const {
    // Keys come in order when a store is opened, and mostly when a Job makes its pods.
    if (chunks_.size() > 1 && key >= chunks_.back()->from.view()) return chunks_.size() - 1;
    const auto after = std::upper_bound(chunks_.begin() + 1, chunks_.end(), key,
                                        [](std::string_view k, const auto& chunk) { return k < chunk->from.view(); });
    return static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

std::size_t Index::offset_in(const Chunk& chunk, std::string_view key) {
    const auto at = std::lower_bound(chunk.entries.begin(), chunk.entries.end(), key,
                                     [](const Entry* entry, std::string_view k) { return entry->key.view() < k; });
    return static_cast<std::size_t>(at - chunk.entries.begin());
}

Entry& Index::insert(Text key) {
    std::size_t at = chunk_of(key);
    std::size_t offset = offset_in(*chunks_[at], key);
    if (chunks_[at]->entries.size() == kChunkMax) {
        split(at, offset == kChunkMax);
        at = chunk_of(key);
        offset = offset_in(*chunks_[at], key);
    }
    const std::uint64_t hash = hash64(key);
    auto* entry = new Entry{.key = std::move(key), .hash = hash};
    auto& entries = chunks_[at]->entries;
    entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(offset), entry);
    CHECK(by_key_.insert(entry).second);
    return *entry;
}

// Keys that arrive in order, as they do when a store is opened, leave full chunks behind them.
void Index::split(std::size_t at, bool appending) {
    auto& entries = chunks_[at]->entries;
    CHECK(entries.size() == kChunkMax, "a chunk is split when it is full");
    const std::size_t kept = appending ? kChunkMax - 1 : kChunkMax / 2;
    auto upper = std::make_unique<Chunk>();
    upper->entries.reserve(kChunkMax);
    upper->entries.assign(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
    upper->from = upper->entries.front()->key;
    entries.resize(kept);
    for (const Entry* entry : upper->entries) upper->live += entry->object != nullptr;
    chunks_[at]->live -= upper->live;
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
}

void Index::erase(const Entry& entry) {
    CHECK(!entry.object, "only a removed entry is erased");
    const std::size_t at = chunk_of(entry.key);
    const std::size_t offset = offset_in(*chunks_[at], entry.key);
    auto& entries = chunks_[at]->entries;
    CHECK(offset < entries.size() && entries[offset] == &entry);
    by_key_.erase(entries[offset]);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(offset));
    delete &entry;
    if (entries.size() < kChunkMax / 4) drop_or_merge(at);
}

void Index::drop_or_merge(std::size_t at) {
    if (chunks_.size() == 1) return;
    const std::size_t left = at == 0 ? 0 : at - 1;
    Chunk& into = *chunks_[left];
    Chunk& from = *chunks_[left + 1];
    if (into.entries.size() + from.entries.size() > kChunkMax / 2) return;
    into.entries.insert(into.entries.end(), from.entries.begin(), from.entries.end());
    into.live += from.live;
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(left) + 1);
}

void Index::count_live(const Entry& entry) {
    Chunk& chunk = *chunks_[chunk_of(entry.key)];
    CHECK(entry.object && chunk.live < chunk.entries.size());
    ++chunk.live;
    ++live_;
}

void Index::count_removed(const Entry& entry) {
    Chunk& chunk = *chunks_[chunk_of(entry.key)];
    CHECK(!entry.object && chunk.live > 0 && live_ > 0);
    --chunk.live;
    --live_;
}

Index::Position Index::lower_bound(std::string_view key) const {
    const std::size_t at = chunk_of(key);
    return {at, offset_in(*chunks_[at], key)};
}

Entry* Index::next(Position& position) const {
    while (position.chunk < chunks_.size()) {
        const auto& entries = chunks_[position.chunk]->entries;
        if (position.offset < entries.size()) return entries[position.offset++];
        position = {position.chunk + 1, 0};
    }
    return nullptr;
}

Entry* Index::next_live(Position& position) const {
    while (position.chunk < chunks_.size()) {
        const Chunk& chunk = *chunks_[position.chunk];
        while (chunk.live != 0 && position.offset < chunk.entries.size())
            if (Entry* entry = chunk.entries[position.offset++]; entry->object) return entry;
        position = {position.chunk + 1, 0};
    }
    return nullptr;
}

std::size_t Index::live_between(Position from, Position to) const {
    std::size_t count = 0;
    while (from.chunk < to.chunk && from.chunk < chunks_.size()) {
        const Chunk& chunk = *chunks_[from.chunk];
        if (from.offset == 0) {
            count += chunk.live;
        } else {
            for (; from.offset < chunk.entries.size(); ++from.offset)
                count += chunk.entries[from.offset]->object != nullptr;
        }
        from = {from.chunk + 1, 0};
    }
    if (from.chunk == to.chunk && from.chunk < chunks_.size())
        for (; from.offset < to.offset; ++from.offset)
            count += chunks_[from.chunk]->entries[from.offset]->object != nullptr;
    return count;
}

}  // namespace muster::store
