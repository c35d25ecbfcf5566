// The objects of one resource, in memory: found by key through a hash, walked in key order through sorted chunks.
// An update touches only the hash; the order costs something only when a key comes or goes.
// Invariant: the hash and the chunks hold the same entries; an entry's address never changes.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "store/checksum.h"
#include "store/object.h"

namespace muster::store {

struct Entry {
    Text key;
    std::uint64_t hash = 0;    // of the key
    ObjectPtr object{};        // null: removed, and kept only while the history can still show it; may be packed
    Revision revision = 0;     // of the last change
    Revision base = 0;         // of the last change to more than the status, as far as the journal can tell
    std::uint64_t event = 0;   // the number of the last change in the history; 0: there since the store was opened
    std::uint64_t change = 0;  // the number of the last change handed towards the journal; 0: none
    std::size_t weight = 0;    // of the object; 0: not known, it has not been written since the store was opened
};

// The entry's object as readers get it.
inline ObjectPtr object_of(const Entry& entry) {
    ObjectPtr opened = entry.object ? entry.object->opened() : nullptr;
    return opened ? opened : entry.object;
}

class Index {
public:
    // Where a walk in key order stands.
    struct Position {
        std::size_t chunk = 0;
        std::size_t offset = 0;
    };

    Index();
    ~Index();
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;

    // Null when there is no entry, live or removed.
    Entry* find(std::string_view key) const;
    // The key must be absent.
    Entry& insert(Text key);
    void erase(const Entry& entry);
    // Whether an entry holds an object is the caller's to set; these keep the count in step.
    void count_live(const Entry& entry);
    void count_removed(const Entry& entry);

    // The first entry whose key is not less.
    Position lower_bound(std::string_view key) const;
    // The entry there, moving the position behind it; null at the end.
    Entry* next(Position& position) const;
    // The same of entries that hold an object: whole chunks of removed ones are passed over.
    Entry* next_live(Position& position) const;
    // How many entries hold an object in [from, to).
    std::size_t live_between(Position from, Position to) const;
    std::size_t live() const { return live_; }

private:
    static constexpr std::size_t kChunkMax = 128;
    struct Chunk {
        Text from;  // holds the keys from here to the next chunk's `from`
        std::size_t live = 0;
        std::vector<Entry*> entries;
    };
    struct KeyHash {
        using is_transparent = void;
        using is_avalanching = void;
        std::size_t operator()(std::string_view key) const { return hash64(key); }
        std::size_t operator()(const Entry* entry) const { return entry->hash; }
    };
    struct KeyEqual {
        using is_transparent = void;
        bool operator()(const Entry* left, const Entry* right) const { return left == right; }
        bool operator()(std::string_view key, const Entry* entry) const { return key == entry->key.view(); }
        bool operator()(const Entry* entry, std::string_view key) const { return key == entry->key.view(); }
    };

    std::size_t chunk_of(std::string_view key) const;
    static std::size_t offset_in(const Chunk& chunk, std::string_view key);
    void split(std::size_t at, bool appending);
    void drop_or_merge(std::size_t at);

    boost::unordered_flat_set<Entry*, KeyHash, KeyEqual> by_key_;
    std::vector<std::unique_ptr<Chunk>> chunks_;  // never empty
    std::size_t live_ = 0;
};

}  // namespace muster::store
