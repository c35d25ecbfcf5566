#include "server/kind_object.h"

#include <map>

#include "api/codec/parts.h"
#include "api/kinds/kind_list.h"

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

using Make = std::shared_ptr<KindObject> (*)(const void* data);

template <class K>
std::shared_ptr<KindObject> make_typed(const void* data) {
    if (!data) return std::make_shared<TypedObject<K>>();
    return std::make_shared<TypedObject<K>>(*static_cast<const K*>(data));
}

// By the kind's own table, which there is one of.
const std::map<const api::KindInfo*, Make>& makers() {
    static const std::map<const api::KindInfo*, Make> makers = [] {
        std::map<const api::KindInfo*, Make> made;
        api::for_each_kind([&]<class K>() {
            if constexpr (requires(K k) { k.metadata.uid; }) made[&api::kind_info<K>()] = &make_typed<K>;
        });
        return made;
    }();
    return makers;
}

std::string_view group_segment(const api::KindInfo& kind) { return *kind.group ? kind.group : "core"; }

// The kind whose objects stand under a key's first two segments. Several versions of a kind share one resource.
const api::KindInfo* kind_of_key(std::string_view key) {
    static const std::map<std::string, const api::KindInfo*, std::less<>> by_prefix = [] {
        std::map<std::string, const api::KindInfo*, std::less<>> kinds;
        for (const auto& [kind, make] : makers())
            if (kind->options.plural) kinds.emplace(list_prefix(*kind, ""), kind);
        return kinds;
    }();
    const std::size_t group_end = key.find('/', 1);
    const std::size_t resource_end = group_end == std::string_view::npos ? group_end : key.find('/', group_end + 1);
    if (resource_end == std::string_view::npos) return nullptr;
    const auto found = by_prefix.find(key.substr(0, resource_end + 1));
    return found == by_prefix.end() ? nullptr : found->second;
}

}  // namespace

void KindObject::encode(store::RecordWriter& writer) const {
    PartsOf parts(writer);
    api::append_protobuf(kind().type(), data(), writer.own, &parts);
}

std::shared_ptr<KindObject> make_object(const api::KindInfo& kind, const void* data) {
    const auto found = makers().find(&kind);
    CHECK(found != makers().end(), kind.kind);
    return found->second(data);
}

std::string object_key(const api::KindInfo& kind, std::string_view namespace_, std::string_view name) {
    std::string key = list_prefix(kind, namespace_);
    key += name;
    return key;
}

std::string list_prefix(const api::KindInfo& kind, std::string_view namespace_) {
    std::string prefix = "/";
    prefix += group_segment(kind);
    prefix += '/';
    prefix += kind.options.plural;
    prefix += '/';
    if (!namespace_.empty()) prefix.append(namespace_).append("/");
    return prefix;
}

Result<store::ObjectPtr> KindCodec::decode(std::string_view key, store::Revision revision, std::string_view own,
                                           store::PartSource& parts) {
    const api::KindInfo* kind = kind_of_key(key);
    if (!kind) return Error{Code::kCorrupt, "the stored key " + std::string(key) + " belongs to no known kind"};
    std::shared_ptr<KindObject> object = make_object(*kind);
    PartsFrom lookup(parts);
    Result<void> decoded = api::decode_record(kind->type(), object->data(), own, &lookup);
    if (!decoded.ok())
        return Error{Code::kCorrupt, "the stored object " + std::string(key) + ": " + decoded.error().message};
    object->stamp(revision);
    return store::ObjectPtr(std::move(object));
}

}  // namespace muster::server
