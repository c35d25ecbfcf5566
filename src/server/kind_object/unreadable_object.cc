#include "server/kind_object/unreadable_object.h"

namespace muster::server {
namespace {

// The parts of "/group/resource/namespace/name" and of "/group/resource/name".
struct KeyParts {
    std::string_view group;
    std::string_view plural;
    std::string_view namespace_;
    std::string_view name;
};

KeyParts split_key(std::string_view key) {
    const std::size_t group_end = key.find('/', 1);
    const std::size_t plural_end = key.find('/', group_end + 1);
    CHECK(group_end != std::string_view::npos && plural_end != std::string_view::npos, key);
    const std::string_view rest = key.substr(plural_end + 1);
    const std::size_t slash = rest.find('/');
    const bool has_namespace = slash != std::string_view::npos;
    return {key.substr(1, group_end - 1), key.substr(group_end + 1, plural_end - group_end - 1),
            has_namespace ? rest.substr(0, slash) : std::string_view(), has_namespace ? rest.substr(slash + 1) : rest};
}

// The handle of a kind of which only the place in the store is known.
const api::KindInfo& nameless_kind(const KeyParts& key) {
    api::DefinedKind kind;
    kind.group = key.group;
    kind.plural = key.plural;
    kind.namespaced = !key.namespace_.empty();
    return api::kind_info_of(kind);
}

}  // namespace

UnreadableObject::UnreadableObject(const api::KindInfo* kind, std::string_view key, store::Revision revision,
                                   std::string_view why)
    : shown_(kind ? *kind : nameless_kind(split_key(key))) {
    const KeyParts parts = split_key(key);
    shown_.value.metadata.namespace_ = parts.namespace_;
    shown_.value.metadata.name = parts.name;
    shown_.stamp(revision);
    problem_ = {Code::kCorrupt, "the stored object \"" + std::string(key) + "\" cannot be read: " + std::string(why)};
    problem_.about = {std::string(parts.name), std::string(parts.group), std::string(parts.plural)};
}

void* UnreadableObject::data() { CHECK(false, "an object that cannot be read is not changed"); }
api::meta::ObjectMeta& UnreadableObject::metadata() { CHECK(false, "an object that cannot be read is not changed"); }
void UnreadableObject::encode_own(store::RecordWriter&) const {
    CHECK(false, "the bytes of an object that cannot be read stay as they are");
}

Result<> check_readable(const api::KindInfo& kind, const store::Listing& listing) {
    if (!kind.is_defined()) return {};
    for (const store::Stored& item : listing.items)
        if (const Error* problem = static_cast<const KindObject&>(*item.object).unreadable()) return *problem;
    return {};
}

}  // namespace muster::server
