// The simplest thing a store can keep: a text, which is its status, and perhaps one that it shares with others. For
// tests and benchmarks of the store, which knows no kinds.
#pragma once

#include <string>

#include "base/shared.h"
#include "store/object.h"

namespace muster::store {

using CommonText = Shared<std::string>;

class Note final : public Object {
public:
    Note(std::string with_uid, std::string own_text, CommonText shared_text = {})
        : text(std::move(own_text)), common(std::move(shared_text)), uid_(std::move(with_uid)) {}

    std::string_view uid() const override { return uid_; }
    void stamp(Revision revision) override { stamped = revision; }
    Difference difference_from(const Object& other) const override;
    void encode_own(RecordWriter& writer) const override;
    void encode_status(RecordWriter& writer) const override { writer.bytes += text; }
    std::size_t weight(const Object* beside) const override {
        const bool shares = !common.get() || (beside && static_cast<const Note*>(beside)->common.get() == common.get());
        return sizeof(Note) + uid_.capacity() + text.capacity() + (shares ? 0 : common.get()->capacity());
    }

    std::string text;
    CommonText common;
    Revision stamped = 0;

private:
    std::string uid_;
};

class NoteCodec final : public Codec {
public:
    Result<ObjectPtr> decode(std::string_view key, Revision revision, std::string_view bytes,
                             PartSource& parts) override;
};

inline Draft note(std::string text, std::string uid = "uid", CommonText common = {}) {
    return std::make_shared<Note>(std::move(uid), std::move(text), std::move(common));
}
inline const Note& as_note(const ObjectPtr& object) { return static_cast<const Note&>(*object); }
inline CommonText common_text(std::string text) {
    CommonText common;
    common.edit() = std::move(text);
    return common;
}

}  // namespace muster::store
