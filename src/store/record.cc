#include "store/record.h"

#include <cstring>

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

std::uint32_t object_crc(std::string_view key, std::string_view revision, std::string_view own) {
    return crc32c(own, crc32c(revision, crc32c(key)));
}

}  // namespace

std::string format_mark(const GroupMark& mark) {
    std::string out(kMarkMagic);
    put(out, mark.group);
    put(out, mark.revision);
    put(out, mark.objects);
    put(out, mark.digest);
    out.push_back(mark.sealed ? 1 : 0);
    put(out, crc32c(out));
    return out;
}

Result<GroupMark> parse_mark(std::string_view bytes) {
    if (bytes.size() != kMarkSize || !bytes.starts_with(kMarkMagic) ||
        get<std::uint32_t>(bytes, kMarkSize - 4) != crc32c(bytes.substr(0, kMarkSize - 4)))
        return Error{Code::kCorrupt, "the group mark is damaged"};
    return GroupMark{get<std::uint64_t>(bytes, 8), get<Revision>(bytes, 16), get<std::uint64_t>(bytes, 24),
                     get<std::uint64_t>(bytes, 32), bytes[40] != 0};
}

std::uint64_t record_digest(std::string_view key, Revision revision) { return mix64(hash64(key) ^ mix64(revision)); }

void format_object_header(std::string_view key, Revision revision, std::string_view own, char* header) {
    std::memcpy(header + 4, &revision, 8);
    const std::uint32_t crc = object_crc(key, {header + 4, 8}, own);
    std::memcpy(header, &crc, 4);
}

Result<ObjectRecord> parse_object(std::string_view key, std::string_view record) {
    if (record.size() < kObjectHeaderSize ||
        get<std::uint32_t>(record, 0) != object_crc(key, record.substr(4, 8), record.substr(kObjectHeaderSize)))
        return Error{Code::kCorrupt, "the record of \"" + std::string(key) + "\" is damaged"};
    return ObjectRecord{get<Revision>(record, 4), record.substr(kObjectHeaderSize)};
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
        return Error{Code::kCorrupt, "the record of part " + std::to_string(number) + " is damaged"};
    return PartRecord{number, record.substr(4)};
}

}  // namespace muster::store
