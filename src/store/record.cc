#include "store/record.h"

#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "store/checksum.h"

namespace muster::store {
namespace {

template <class Number>
void put(std::string& out, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof number);
}

template <class Number>
Number get(std::string_view bytes, std::size_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

// Of all that follows the checksum itself, and where it belongs.
std::uint32_t crc_of(char space, std::string_view key, std::string_view header, std::string_view bytes) {
    return crc32c(bytes, crc32c(header, crc32c(key, crc32c({&space, 1}))));
}

constexpr int kSealedBit = 1;
constexpr int kRecordedBit = 2;

Error damaged(std::string_view what, std::string_view key) {
    return {Code::kCorrupt,
            "the " + std::string(what) + " of \"" + std::string(key) + "\" is damaged; restore a backup"};
}

}  // namespace

std::string format_mark(const GroupMark& mark) {
    std::string out(kMarkMagic);
    put(out, mark.group);
    put(out, mark.revision);
    put(out, mark.objects);
    put(out, mark.digest);
    out.push_back(static_cast<char>((mark.sealed ? kSealedBit : 0) | (mark.recorded ? kRecordedBit : 0)));
    put(out, crc32c(out));
    CHECK(out.size() == kMarkSize);
    return out;
}

Result<GroupMark> parse_mark(std::string_view bytes) {
    if (bytes.size() != kMarkSize || !bytes.starts_with(kMarkMagic) ||
        get<std::uint32_t>(bytes, kMarkSize - 4) != crc32c(bytes.substr(0, kMarkSize - 4)))
        return Error{Code::kCorrupt, "the group mark is damaged; restore a backup"};
    return GroupMark{get<std::uint64_t>(bytes, 8),  get<Revision>(bytes, 16),      get<std::uint64_t>(bytes, 24),
                     get<std::uint64_t>(bytes, 32), (bytes[40] & kSealedBit) != 0, (bytes[40] & kRecordedBit) != 0};
}

std::uint64_t object_digest(std::string_view key, Revision revision) { return mix64(hash64(key) ^ mix64(revision)); }

void format_object_header(std::string_view key, const ObjectRecord& record, char* header) {
    CHECK(record.bytes.size() <= UINT32_MAX, key);
    const auto own_size = static_cast<std::uint32_t>(record.own_size);
    std::memcpy(header + 4, &record.revision, 8);
    std::memcpy(header + 12, &own_size, 4);
    const std::uint32_t crc = crc_of(kObjectSpace, key, {header + 4, kObjectHeaderSize - 4}, record.bytes);
    std::memcpy(header, &crc, 4);
}

Result<ObjectRecord> parse_object(std::string_view key, std::string_view record) {
    if (record.size() < kObjectHeaderSize) return damaged("record", key);
    const std::string_view header = record.substr(4, kObjectHeaderSize - 4);
    const std::string_view bytes = record.substr(kObjectHeaderSize);
    if (get<std::uint32_t>(record, 0) != crc_of(kObjectSpace, key, header, bytes)) return damaged("record", key);
    const ObjectRecord parsed{get<Revision>(record, 4), get<std::uint32_t>(record, 12), bytes};
    if (parsed.own_size > bytes.size()) return damaged("record", key);
    return parsed;
}

void format_status_header(std::string_view key, const StatusRecord& record, char* header) {
    CHECK(record.base != 0 && record.base < record.revision, key);
    std::memcpy(header + 4, &record.revision, 8);
    std::memcpy(header + 12, &record.base, 8);
    const std::uint32_t crc = crc_of(kStatusSpace, key, {header + 4, kStatusHeaderSize - 4}, record.bytes);
    std::memcpy(header, &crc, 4);
}

Result<StatusRecord> parse_status(std::string_view key, std::string_view record) {
    if (record.size() < kStatusHeaderSize) return damaged("status record", key);
    const std::string_view header = record.substr(4, kStatusHeaderSize - 4);
    const std::string_view bytes = record.substr(kStatusHeaderSize);
    if (get<std::uint32_t>(record, 0) != crc_of(kStatusSpace, key, header, bytes)) return damaged("status record", key);
    return StatusRecord{get<Revision>(record, 4), get<Revision>(record, 12), bytes};
}

std::string part_key(std::uint64_t number) {
    std::string key(1, kPartSpace);
    for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(number >> shift));
    return key;
}

std::string format_part(std::uint64_t number, std::string_view bytes) {
    std::string out;
    out.reserve(4 + bytes.size());
    put(out, crc32c(bytes, crc32c(part_key(number))));
    out += bytes;
    return out;
}

Result<PartRecord> parse_part(std::string_view key, std::string_view record) {
    std::uint64_t number = 0;
    for (const char byte : key.substr(1)) number = number << 8 | static_cast<unsigned char>(byte);
    if (key.size() != 9 || record.size() < 4 || get<std::uint32_t>(record, 0) != crc32c(record.substr(4), crc32c(key)))
        return Error{Code::kCorrupt, "the record of part " + std::to_string(number) + " is damaged; restore a backup"};
    return PartRecord{number, record.substr(4)};
}

}  // namespace muster::store
