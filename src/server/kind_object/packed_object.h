// An object in the form that takes the least memory: the bytes of its record, and the parts that these name. It is
// decoded when it is first read, on whichever thread that is; the store hands out copies that share the bytes, so that
// what was decoded goes when its reader has finished.
#pragma once

#include <atomic>
#include <vector>

#include "base/shared.h"
#include "base/text.h"
#include "server/kind_object/kind_object.h"

namespace muster::server {

class PackedObject final : public KindObject {
public:
    using Parts = Shared<std::vector<SharedBlock>>;  // empty when there are none

    PackedObject(const api::KindInfo& kind, Text bytes, Parts parts)
        : kind_(kind), bytes_(std::move(bytes)), parts_(std::move(parts)) {}
    ~PackedObject() override;
    PackedObject(const PackedObject&) = delete;
    PackedObject& operator=(const PackedObject&) = delete;

    const api::KindInfo& kind() const override { return kind_; }
    const void* data() const override { return read().data(); }
    const api::meta::ObjectMeta& metadata() const override { return read().metadata(); }
    // None is packed that has one, so nothing needs to be decoded to tell.
    const api::FieldInfo* status_field() const override { return nullptr; }
    // Nothing is changed in this form: these end the process.
    void* data() override;
    api::meta::ObjectMeta& metadata() override;

    // Its own bytes are written as they are, unless parts have other numbers there.
    void encode_own(store::RecordWriter& writer) const override;
    // As much as when it is decoded, which it may be at any time.
    std::size_t weight(const store::Object* beside) const override;
    bool packs() const override { return true; }
    store::ObjectPtr opened() const override;
    std::size_t bytes() const { return bytes_.size(); }
    // Whether it holds its decoded form as well, which takes several times the memory.
    bool is_decoded() const { return decoded_.load(std::memory_order_acquire) != nullptr; }

private:
    KindObjectPtr decode() const;
    const KindObject& read() const;

    const api::KindInfo& kind_;
    Text bytes_;
    Parts parts_;
    mutable std::atomic<const KindObjectPtr*> decoded_{nullptr};
};

store::ObjectPtr pack(const KindObject& object);

}  // namespace muster::server
