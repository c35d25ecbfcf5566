// An API object as the store keeps it. Here kinds and store meet: the store sees a store::Object, all other code the
// value inside, which is of the kind's C++ type, or a DefinedObject when the kind is defined at run time.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <unordered_set>

#include "api/codec/encode.h"
#include "api/kinds/defined_object.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "base/check.h"
#include "server/registry/kind_registry.h"
#include "store/object.h"

namespace muster::server {

class KindObject : public store::Object {
public:
    virtual const api::KindInfo& kind() const = 0;
    virtual const void* data() const = 0;
    virtual const api::meta::ObjectMeta& metadata() const = 0;
    virtual const api::FieldInfo* status_field() const = 0;  // null for a kind that has none
    // Why the object cannot be read (server/kind_object/unreadable_object.h); null for all others.
    virtual const Error* unreadable() const { return nullptr; }
    // Mutable access. Only valid while the object is an unshared draft.
    virtual void* data() = 0;
    virtual api::meta::ObjectMeta& metadata() = 0;

    std::string_view uid() const final { return metadata().uid; }
    void stamp(store::Revision revision) final { metadata().resource_version = std::to_string(revision); }
    store::Difference difference_from(const store::Object& other) const final;
    std::size_t weight(const store::Object* beside) const override;
    void encode_own(store::RecordWriter& writer) const override;
    void encode_status(store::RecordWriter& writer) const final;
    store::ObjectPtr packed() const override;
};

template <class K>
class TypedObject final : public KindObject {
public:
    TypedObject() = default;
    explicit TypedObject(K of) : value(std::move(of)) {}

    K value{};

    const api::KindInfo& kind() const override { return api::kind_info<K>(); }
    const void* data() const override { return &value; }
    void* data() override { return &value; }
    const api::meta::ObjectMeta& metadata() const override { return value.metadata; }
    const api::FieldInfo* status_field() const override {
        static const api::FieldInfo* const field = K::info().find("status");
        return field;
    }
    api::meta::ObjectMeta& metadata() override { return value.metadata; }
    bool packs() const override { return K::kKindOptions.packed; }
};

// An object of a defined kind.
template <>
class TypedObject<api::DefinedObject> final : public KindObject {
public:
    explicit TypedObject(const api::KindInfo& kind, api::DefinedObject of = {}) : value(std::move(of)), kind_(kind) {
        CHECK(kind.is_defined(), kind.kind);
    }

    api::DefinedObject value;

    const api::KindInfo& kind() const override { return kind_; }
    const void* data() const override { return &value; }
    void* data() override { return &value; }
    const api::meta::ObjectMeta& metadata() const override { return value.metadata; }
    const api::FieldInfo* status_field() const override {
        static const api::FieldInfo* const field = api::DefinedObject::info().find("status");
        return field;
    }
    api::meta::ObjectMeta& metadata() override { return value.metadata; }

private:
    const api::KindInfo& kind_;
};

using KindObjectPtr = std::shared_ptr<const KindObject>;

// Whether objects of that kind are values of the C++ type K.
template <class K>
bool has_type(const api::KindInfo& kind) {
    if constexpr (std::is_same_v<K, api::DefinedObject>) return kind.is_defined();
    return &kind == &api::kind_info<K>();
}

// The typed value of an object. To ask for another kind than the object's own is a mistake in the program, which ends.
template <class K>
const K& as(const KindObject& object) {
    CHECK(has_type<K>(object.kind()), object.kind().kind);
    return *static_cast<const K*>(object.data());
}
template <class K>
K& as(KindObject& draft) {
    CHECK(has_type<K>(draft.kind()), draft.kind().kind);
    return *static_cast<K*>(draft.data());
}
template <class K>
const K& as(const store::Object& object) {
    return as<K>(static_cast<const KindObject&>(object));
}

// A new, empty object of that kind, or one that copies `data`, an object of that kind.
std::shared_ptr<KindObject> make_object(const api::KindInfo& kind, const void* data = nullptr);
// One with the value of `data`, which was not made const: it is moved when this is the only reference to it, else
// copied.
std::shared_ptr<KindObject> take_object(const api::KindInfo& kind, std::shared_ptr<const void> data);

// "/batch/jobs/default/pi"; without a name, the prefix of a namespace's objects; without both, of all.
std::string object_key(const api::KindInfo& kind, std::string_view namespace_, std::string_view name);
std::string list_prefix(const api::KindInfo& kind, std::string_view namespace_);

// The object of that kind whose record these bytes are.
Result<std::shared_ptr<KindObject>> decode_object(const api::KindInfo& kind, store::Revision revision,
                                                  std::string_view bytes, store::PartSource& parts);

// Reads stored records back into objects. Those of a kind that is not in the registry, and those that are no object of
// their defined kind, are kept as they are (server/kind_object/raw_object.h).
class KindCodec final : public store::Codec {
public:
    explicit KindCodec(std::shared_ptr<const Kinds> kinds = std::make_shared<const Kinds>())
        : kinds_(std::move(kinds)) {}

    Result<store::ObjectPtr> decode(std::string_view key, store::Revision revision, std::string_view bytes,
                                    store::PartSource& parts) override;
    Result<store::ObjectPtr> decode_last(std::string_view key, store::Revision revision, std::string_view bytes,
                                         store::PartSource& parts) override;

private:
    const api::KindInfo* find_kind(std::string_view key);

    const std::shared_ptr<const Kinds> kinds_;
    // Objects come in key order, so the resource is mostly that of the one before.
    std::string prefix_;
    const api::KindInfo* kind_ = nullptr;
    std::unordered_set<const void*> raw_parts_;  // blocks that are the bytes of a part
};

}  // namespace muster::server
