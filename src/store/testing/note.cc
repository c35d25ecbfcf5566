#include "store/testing/note.h"

#include <cstring>

namespace muster::store {
namespace {

void put_number(std::string& out, std::uint64_t number) {
    char bytes[8];
    std::memcpy(bytes, &number, 8);
    out.append(bytes, 8);
}

void encode_common(const void* context, std::string& out) { out = *static_cast<const std::string*>(context); }

// Takes from the front of what is left.
struct Reader {
    std::string_view left;
    bool ok = true;

    std::uint64_t number() {
        std::uint64_t value = 0;
        const std::string_view bytes = take(8);
        if (ok) std::memcpy(&value, bytes.data(), 8);
        return value;
    }
    std::string_view take(std::size_t size) {
        ok = ok && size <= left.size();
        if (!ok) return {};
        const std::string_view bytes = left.substr(0, size);
        left.remove_prefix(size);
        return bytes;
    }
};

}  // namespace

Difference Note::difference_from(const Object& other) const {
    const auto& note = static_cast<const Note&>(other);
    if (uid_ != note.uid_) return Difference::kMore;
    if (common.identity() == note.common.identity()) return text == note.text ? Difference::kNone : Difference::kStatus;
    const bool same_words = common.get() && note.common.get() && *common.get() == *note.common.get();
    return same_words && text == note.text ? Difference::kNone : Difference::kMore;
}

void Note::encode_own(RecordWriter& writer) const {
    put_number(writer.bytes, common.get() ? writer.part(SharedBlock(common), encode_common, common.get()) : 0);
    put_number(writer.bytes, uid_.size());
    writer.bytes += uid_;
}

Result<ObjectPtr> NoteCodec::decode(std::string_view key, Revision revision, std::string_view bytes,
                                    PartSource& parts) {
    Reader reader{bytes};
    const std::uint64_t part = reader.number();
    const std::string_view uid = reader.take(reader.number());
    if (!reader.ok) return Error{Code::kCorrupt, "the note at \"" + std::string(key) + "\" is too short"};
    CommonText common;
    if (part != 0) {
        TRY_ASSIGN(SharedBlock block, parts.find(part));
        if (!block.identity()) {
            TRY_ASSIGN(const std::string_view words, parts.bytes(part));
            block = SharedBlock(common_text(std::string(words)));
            parts.decoded(part, block);
        }
        common = block.as<std::string>();
    }
    auto note = std::make_shared<Note>(std::string(uid), std::string(reader.left), std::move(common));
    note->stamp(revision);
    return ObjectPtr(std::move(note));
}

}  // namespace muster::store
