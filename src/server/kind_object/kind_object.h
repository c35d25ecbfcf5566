// An API object as the store keeps it. Here kinds and store meet: the store sees a store::Object, everybody else the
// typed value inside.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "api/codec/encode.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "base/check.h"
#include "store/object.h"

namespace muster::api::core {
struct Event;
}

namespace muster::server {

// Kinds whose objects the store keeps packed (server/kind_object/packed_object.h): written with every step of every
// pod, and read by the few who look.
template <class K>
inline constexpr bool kPacks = std::is_same_v<K, api::core::Event>;

class KindObject : public store::Object {
public:
    virtual const api::KindInfo& kind() const = 0;
    virtual const void* data() const = 0;
    virtual const api::meta::ObjectMeta& metadata() const = 0;
    virtual const api::FieldInfo* status_field() const = 0;  // null for a kind that has none
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
    bool packs() const override { return kPacks<K>; }
};

using KindObjectPtr = std::shared_ptr<const KindObject>;

// The typed value of an object. To ask for another kind than the object's own is a mistake in the program, which ends.
template <class K>
const K& as(const KindObject& object) {
    CHECK(&object.kind() == &api::kind_info<K>(), object.kind().kind);
    return *static_cast<const K*>(object.data());
}
template <class K>
K& as(KindObject& draft) {
    CHECK(&draft.kind() == &api::kind_info<K>(), draft.kind().kind);
    return *static_cast<K*>(draft.data());
}
template <class K>
const K& as(const store::Object& object) {
    return as<K>(static_cast<const KindObject&>(object));
}

// A new, empty object of that kind, or one that copies `data`, an object of that kind.
std::shared_ptr<KindObject> make_object(const api::KindInfo& kind, const void* data = nullptr);

// "/batch/jobs/default/pi"; without a name, the prefix of a namespace's objects; without both, of all.
std::string object_key(const api::KindInfo& kind, std::string_view namespace_, std::string_view name);
std::string list_prefix(const api::KindInfo& kind, std::string_view namespace_);

// Reads stored records back into typed objects.
class KindCodec final : public store::Codec {
public:
    Result<store::ObjectPtr> decode(std::string_view key, store::Revision revision, std::string_view bytes,
                                    store::PartSource& parts) override;

private:
    // Objects come in key order, so the resource is mostly that of the one before.
    std::string_view prefix_;
    std::shared_ptr<KindObject> (*make_)(const void* data) = nullptr;
};

}  // namespace muster::server
