// The bytes of the embedded journal: what a record looks like in RocksDB. Numbers are little-endian.
//     "m"              group mark: how far the journal is and what all records add up to
//     "o" + key        crc32c, revision, the object's own bytes
//     "p" + number     crc32c, the part's bytes                      (the number big-endian, so that they sort)
// RocksDB has checksums of its own; these cover the way from our hands to our hands, and they tie the bytes to their
// key. The mark's digest finds whole records that are missing or of another time, which no checksum can.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/object.h"

namespace muster::store {

inline constexpr std::string_view kMarkKey = "m";
inline constexpr char kObjectSpace = 'o';
inline constexpr char kPartSpace = 'p';

// Written last in every group.
struct GroupMark {
    std::uint64_t group = 0;  // rises by one
    Revision revision = 0;
    std::uint64_t objects = 0;  // how many records there are
    std::uint64_t digest = 0;   // the sum of record_digest over all of them
    bool sealed = false;        // says that the group is durable, so it must be whole
    bool operator==(const GroupMark&) const = default;
};
inline constexpr std::string_view kMarkMagic = "\x8fMusterG";
inline constexpr std::size_t kMarkSize = 8 + 4 * 8 + 1 + 4;

std::string format_mark(const GroupMark& mark);
Result<GroupMark> parse_mark(std::string_view bytes);

std::uint64_t record_digest(std::string_view key, Revision revision);

inline constexpr std::size_t kObjectHeaderSize = 12;
// Writes the header that stands before `own`.
void format_object_header(std::string_view key, Revision revision, std::string_view own, char* header);
struct ObjectRecord {
    Revision revision;
    std::string_view own;
};
// kCorrupt, naming the key.
Result<ObjectRecord> parse_object(std::string_view key, std::string_view record);

std::string part_key(std::uint64_t number);
std::string format_part(std::uint64_t number, std::string_view bytes);
struct PartRecord {
    std::uint64_t number;
    std::string_view bytes;
};
Result<PartRecord> parse_part(std::string_view key, std::string_view record);

}  // namespace muster::store
