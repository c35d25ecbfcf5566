#include "store/durable_record.h"

#include <cstring>

#include "os/files/files.h"
#include "store/checksum.h"

namespace muster::store {
namespace {

constexpr std::string_view kDurableMagic = "\x8fMusterD";
constexpr std::size_t kSlotSize = 4096;  // no disk tears two slots by writing one
constexpr std::size_t kSlotUsed = 8 + 8 + 8 + 4;

std::string format_slot(const DurableMark& mark) {
    std::string slot(kDurableMagic);
    slot.append(reinterpret_cast<const char*>(&mark.group), 8);
    slot.append(reinterpret_cast<const char*>(&mark.revision), 8);
    const std::uint32_t crc = crc32c(slot);
    return slot.append(reinterpret_cast<const char*>(&crc), 4);
}

std::optional<DurableMark> parse_slot(std::string_view slot) {
    DurableMark mark;
    std::uint32_t crc = 0;
    if (slot.size() < kSlotUsed || !slot.starts_with(kDurableMagic)) return std::nullopt;
    std::memcpy(&mark.group, slot.data() + 8, 8);
    std::memcpy(&mark.revision, slot.data() + 16, 8);
    std::memcpy(&crc, slot.data() + 24, 4);
    if (crc != crc32c(slot.substr(0, 24))) return std::nullopt;
    return mark;
}

std::size_t slot_of(const DurableMark& mark) { return mark.group % 2 * kSlotSize; }

}  // namespace

std::string durable_path(const std::string& directory) { return directory + "/durable"; }

Result<std::optional<DurableMark>> read_durable(const std::string& directory) {
    const std::string path = durable_path(directory);
    const Result<std::string> content = os::LinuxFiles().read(path, 2 * kSlotSize);
    if (!content.ok() && content.error().code == Code::kNotFound) return std::optional<DurableMark>();
    TRY(content);
    std::optional<DurableMark> newest;
    for (std::size_t at = 0; at < content->size(); at += kSlotSize) {
        const auto mark = parse_slot(std::string_view(*content).substr(at, kSlotSize));
        if (mark && (!newest || mark->group > newest->group)) newest = mark;
    }
    if (!newest) return Error{Code::kCorrupt, path + (content->empty() ? " is empty" : " is damaged")};
    return newest;
}

Result<> replace_durable(const std::string& directory, const DurableMark& mark) {
    std::string content(2 * kSlotSize, '\0');
    const std::string slot = format_slot(mark);
    content.replace(slot_of(mark), slot.size(), slot);
    return os::LinuxFiles().replace(durable_path(directory), content, os::Access::kOnlyUs);
}

Result<std::unique_ptr<DurableRecord>> DurableRecord::open(const std::string& directory) {
    TRY_ASSIGN(auto file, os::SlotFile::open(durable_path(directory)));
    return std::unique_ptr<DurableRecord>(new DurableRecord(std::move(file)));
}

Result<> DurableRecord::write(const DurableMark& mark) { return file_->write(slot_of(mark), format_slot(mark)); }

}  // namespace muster::store
