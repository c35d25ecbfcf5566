#include "server/kind_object/kind_object.h"

#include <algorithm>

#include "api/codec/parts.h"
#include "api/registry/kind_column.h"
#include "api/schema/footprint.h"
#include "api/schema/walk.h"
#include "server/kind_object/packed_object.h"
#include "server/kind_object/raw_object.h"

namespace muster::server {
namespace {

// Hands a shared field to the store's writer as a part.
class PartsOf final : public api::PartSink {
public:
    explicit PartsOf(store::RecordWriter& writer) : writer_(writer) {}
    std::uint64_t part(const api::ValueInfo& info, const void* value) override {
        const Member member{info, value};
        return writer_.part(info.hold(value), &encode, &member);
    }

private:
    struct Member {
        const api::ValueInfo& info;
        const void* value;
    };
    static void encode(const void* context, std::string& out) {
        const auto& member = *static_cast<const Member*>(context);
        api::append_part(member.info, member.value, out);
    }
    store::RecordWriter& writer_;
};

// Gives a shared field its part back: decoded once, then the same block for every object.
class PartsFrom final : public api::PartLookup {
public:
    explicit PartsFrom(store::PartSource& source) : source_(source) {}
    Result<void> adopt(std::uint64_t number, const api::ValueInfo& info, void* target) override {
        TRY_ASSIGN(const SharedBlock block, source_.find(number));
        if (block.identity()) {
            info.adopt(target, block);
            return {};
        }
        TRY_ASSIGN(const std::string_view bytes, source_.bytes(number));
        TRY(api::decode_part(info, target, bytes));
        source_.decoded(number, info.hold(target));
        return {};
    }

private:
    store::PartSource& source_;
};

// Of a kind's C++ type.
struct Make {
    std::shared_ptr<KindObject> (*empty)() = nullptr;
    std::shared_ptr<KindObject> (*copy)(const void* data) = nullptr;
    std::shared_ptr<KindObject> (*take)(void* data) = nullptr;
};

template <class K>
constexpr Make make_typed() {
    using Object = TypedObject<K>;
    Make make;
    make.empty = []() -> std::shared_ptr<KindObject> { return std::make_shared<Object>(); };
    make.copy = [](const void* data) -> std::shared_ptr<KindObject> {
        return std::make_shared<Object>(*static_cast<const K*>(data));
    };
    make.take = [](void* data) -> std::shared_ptr<KindObject> {
        return std::make_shared<Object>(std::move(*static_cast<K*>(data)));
    };
    return make;
}

// Nothing for kinds that are no objects: they have no metadata.
const api::KindColumn<Make>& makers() {
    static const api::KindColumn<Make> column(api::AllKinds{}, []<class K>() -> Make {
        if constexpr (requires(K k) { k.metadata.uid; }) return make_typed<K>();
        return {};
    });
    return column;
}

const Make& maker_of(const api::KindInfo& kind) {
    const Make& make = makers().of(kind);
    CHECK(make.empty, kind.kind);
    return make;
}

// The first two segments of a key, empty when it has not so many.
std::string_view prefix_of(std::string_view key) {
    const std::size_t group_end = key.find('/', 1);
    const std::size_t resource_end = group_end == std::string_view::npos ? group_end : key.find('/', group_end + 1);
    return resource_end == std::string_view::npos ? std::string_view() : key.substr(0, resource_end + 1);
}

// Finds out whether two objects have equal fields, and whether all of those that are parts are the same blocks.
struct Comparison {
    bool same_blocks = true;

    bool equal(const api::FieldInfo& field, const void* left_object, const void* right_object) {
        if (api::is_equal_sharing(field, left_object, right_object)) return true;
        same_blocks = false;
        return api::is_equal(field, left_object, right_object);
    }
    // The stamp aside.
    bool equal(const api::meta::ObjectMeta& left, const api::meta::ObjectMeta& right) {
        const api::TypeInfo& type = api::meta::ObjectMeta::info();
        if (api::is_equal_sharing(type, &left, &right)) return true;
        if (left.residue != right.residue) return false;
        return std::all_of(type.fields.begin(), type.fields.end(), [&](const api::FieldInfo& field) {
            const bool is_stamp = field.offset == offsetof(api::meta::ObjectMeta, resource_version);
            return is_stamp || equal(field, &left, &right);
        });
    }
};

}  // namespace

store::Difference KindObject::difference_from(const store::Object& other) const {
    const auto& stored = static_cast<const KindObject&>(other);
    const api::TypeInfo& type = kind().type();
    const api::FieldInfo* status = status_field();
    Comparison own;
    bool same_status = true;
    if (api::residue_of(data()) != api::residue_of(stored.data())) return store::Difference::kMore;
    for (const api::FieldInfo& field : type.fields) {
        bool equal = true;
        if (static_cast<const char*>(data()) + field.offset == static_cast<const void*>(&metadata())) {
            equal = own.equal(metadata(), stored.metadata());
        } else if (status && field.number == status->number) {
            same_status = api::is_equal(field, data(), stored.data());
        } else {
            equal = own.equal(field, data(), stored.data());
        }
        if (!equal) return store::Difference::kMore;
    }
    if (same_status) return store::Difference::kNone;
    return own.same_blocks ? store::Difference::kStatus : store::Difference::kMore;
}

std::size_t KindObject::weight(const store::Object* beside) const {
    return api::footprint(kind().type(), data(), beside ? static_cast<const KindObject*>(beside)->data() : nullptr);
}

void KindObject::encode_own(store::RecordWriter& writer) const {
    PartsOf parts(writer);
    const api::TypeInfo& type = kind().type();
    if (const api::FieldInfo* status = status_field()) {
        api::append_protobuf_without(type, *status, data(), writer.bytes, &parts);
    } else {
        api::append_protobuf(type, data(), writer.bytes, &parts);
    }
}

void KindObject::encode_status(store::RecordWriter& writer) const {
    PartsOf parts(writer);
    if (const api::FieldInfo* status = status_field())
        api::append_protobuf_field(*status, data(), writer.bytes, &parts);
}

store::ObjectPtr KindObject::packed() const { return pack(*this); }

std::shared_ptr<KindObject> make_object(const api::KindInfo& kind, const void* data) {
    using Defined = TypedObject<api::DefinedObject>;
    if (kind.is_defined())
        return data ? std::make_shared<Defined>(kind, *static_cast<const api::DefinedObject*>(data))
                    : std::make_shared<Defined>(kind);
    const Make& make = maker_of(kind);
    return data ? make.copy(data) : make.empty();
}

std::shared_ptr<KindObject> take_object(const api::KindInfo& kind, std::shared_ptr<const void> data) {
    CHECK(data, kind.kind);
    // No other code can see that the value goes: this is the last reference to it.
    if (data.use_count() == 1 && !kind.is_defined()) return maker_of(kind).take(const_cast<void*>(data.get()));
    return make_object(kind, data.get());
}

std::string object_key(const api::KindInfo& kind, std::string_view namespace_, std::string_view name) {
    std::string key = list_prefix(kind, namespace_);
    key += name;
    return key;
}

std::string list_prefix(const api::KindInfo& kind, std::string_view namespace_) {
    std::string prefix = storage_prefix(kind);
    if (!namespace_.empty()) prefix.append(namespace_).append("/");
    return prefix;
}

Result<std::shared_ptr<KindObject>> decode_object(const api::KindInfo& kind, store::Revision revision,
                                                  std::string_view bytes, store::PartSource& parts) {
    std::shared_ptr<KindObject> object = make_object(kind);
    PartsFrom lookup(parts);
    Result<void> decoded = api::decode_record(kind.type(), object->data(), bytes, &lookup);
    if (!decoded.ok()) return Error{Code::kCorrupt, decoded.error().message};
    object->stamp(revision);
    return object;
}

const api::KindInfo* KindCodec::find_kind(std::string_view key) {
    if (!kind_ || !key.starts_with(prefix_)) {
        prefix_ = prefix_of(key);
        kind_ = kinds_->now()->find_stored(prefix_);
    }
    return kind_;
}

Result<store::ObjectPtr> KindCodec::decode(std::string_view key, store::Revision revision, std::string_view bytes,
                                           store::PartSource& parts) {
    raw_parts_.clear();
    const api::KindInfo* kind = find_kind(key);
    if (!kind) return store::ObjectPtr();
    Result<std::shared_ptr<KindObject>> object = decode_object(*kind, revision, bytes, parts);
    // A definition may have come after the object: that its bytes are of another form is no damage of the store.
    if (!object.ok() && kind->is_defined()) return store::ObjectPtr();
    if (!object.ok()) return std::move(object).error();
    return (*object)->packs() ? (*object)->packed() : store::ObjectPtr(std::move(*object));
}

Result<store::ObjectPtr> KindCodec::decode_last(std::string_view key, store::Revision revision, std::string_view bytes,
                                                store::PartSource& parts) {
    return store::ObjectPtr(keep_raw(kinds_, key, revision, bytes, parts, raw_parts_));
}

}  // namespace muster::server
