// The bytes of the embedded journal: what a record looks like in RocksDB. Numbers are little-endian.
//     "m"              group mark: how far the journal is and what all records add up to
//     "o" + key        crc32c, revision, size of its own half, both halves
//     "s" + key        crc32c, revision, base, a newer status, that goes with the own half written at revision `base`
//     "p" + number     crc32c, the part's bytes                      (the number big-endian, so that they sort)
// When an object is written whole, a status record from before stays behind: its base tells that it is of the past.
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
inline constexpr char kStatusSpace = 's';

// Written last in every group.
struct GroupMark {
    std::uint64_t group = 0;  // rises by one
    Revision revision = 0;
    std::uint64_t objects = 0;  // how many there are
    std::uint64_t digest = 0;   // the sum of object_digest over all of them
    bool sealed = false;        // says that the group is durable, so it must be whole
    bool recorded = false;      // the store keeps a record of what is durable (store/durable_record.h)
    bool operator==(const GroupMark&) const = default;
};
inline constexpr std::string_view kMarkMagic = "\x8fMusterG";
inline constexpr std::size_t kMarkSize = 8 + 4 * 8 + 1 + 4;

std::string format_mark(const GroupMark& mark);
Result<GroupMark> parse_mark(std::string_view bytes);

// Of an object's key and newest revision, whichever of its records has that.
std::uint64_t object_digest(std::string_view key, Revision revision);

inline constexpr std::size_t kObjectHeaderSize = 4 + 8 + 4;
struct ObjectRecord {
    Revision revision;
    std::size_t own_size;
    std::string_view bytes;  // both halves
    std::string_view own() const { return bytes.substr(0, own_size); }
};
// Writes the header that stands before the bytes.
void format_object_header(std::string_view key, const ObjectRecord& record, char* header);
// kCorrupt, naming the key.
Result<ObjectRecord> parse_object(std::string_view key, std::string_view record);

inline constexpr std::size_t kStatusHeaderSize = 4 + 8 + 8;
struct StatusRecord {
    Revision revision;
    Revision base;
    std::string_view bytes;
};
void format_status_header(std::string_view key, const StatusRecord& record, char* header);
Result<StatusRecord> parse_status(std::string_view key, std::string_view record);

std::string part_key(std::uint64_t number);
std::string format_part(std::uint64_t number, std::string_view bytes);
struct PartRecord {
    std::uint64_t number;
    std::string_view bytes;
};
Result<PartRecord> parse_part(std::string_view key, std::string_view record);

}  // namespace muster::store
