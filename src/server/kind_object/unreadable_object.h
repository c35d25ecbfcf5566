// What readers get in place of a stored object that cannot be read: its bytes are no object of its kind, or its kind is
// not in the registry any more. Only its kind's names, its namespace, its name and its version are known. Readers that
// give an object to a client ask `KindObject::unreadable` and answer with that error. It can be removed.
// Only objects of defined kinds can be unreadable: a store with a damaged object of a declared kind does not open.
#pragma once

#include "server/kind_object/kind_object.h"
#include "store/store.h"

namespace muster::server {

class UnreadableObject final : public KindObject {
public:
    // `kind`: null when it is not known.
    UnreadableObject(const api::KindInfo* kind, std::string_view key, store::Revision revision, std::string_view why);

    const api::KindInfo& kind() const override { return shown_.kind(); }
    const void* data() const override { return shown_.data(); }
    const api::meta::ObjectMeta& metadata() const override { return shown_.metadata(); }
    const api::FieldInfo* status_field() const override { return shown_.status_field(); }
    const Error* unreadable() const override { return &problem_; }
    // Nothing is changed or written in this form: these end the process.
    void* data() override;
    api::meta::ObjectMeta& metadata() override;
    void encode_own(store::RecordWriter& writer) const override;

private:
    TypedObject<api::DefinedObject> shown_;
    Error problem_;
};

// The error of the first object that cannot be read, as Kubernetes refuses such a list as a whole.
Result<> check_readable(const api::KindInfo& kind, const store::Listing& listing);

}  // namespace muster::server
