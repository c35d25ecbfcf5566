#include "client/remote/decode_answer.h"

#include <charconv>
#include <map>

#include "api/codec/decode.h"
#include "api/kinds/kind_list.h"
#include "client/kinds/more_kinds.h"
#include "client/remote/json_slices.h"
#include "client/remote/status_error.h"

namespace muster::client {
namespace {

using api::meta::ObjectMeta;
using api::meta::PartialObjectMetadata;

constexpr const char* kInitialEventsEnd = "k8s.io/initial-events-end";

// What a server may send. It is trusted: its objects may be larger than what we would let a user send. Fields that we
// do not know are kept, and are part of what we write.
api::DecodeLimits make_limits(api::Dialect dialect) {
    api::DecodeLimits limits{.bytes_max = 1u << 30,
                             .elements_bytes_max = 1u << 30,
                             .structs_max = 1'000'000,
                             .scalars_max = 10'000'000,
                             .entry_moves_max = 1'000'000'000,
                             .keep_unknown = true};
    limits.dialect = dialect;
    return limits;
}

const api::DecodeLimits& answer_limits(api::Dialect dialect) {
    static const api::DecodeLimits ours = make_limits(api::Dialect::kMuster);
    static const api::DecodeLimits kubernetes = make_limits(api::Dialect::kKubernetes);
    return dialect == api::Dialect::kKubernetes ? kubernetes : ours;
}

void drop_managed_fields(ObjectMeta& metadata, bool with_managers) {
    if (!with_managers) {
        metadata.managed_fields = {};
        return;
    }
    if (metadata.managed_fields.empty()) return;
    for (api::meta::ManagedFieldsEntry& entry : metadata.managed_fields.edit()) entry.fields_v1 = {};
}

using Makers = std::map<const api::KindInfo*, MakeObject>;

std::shared_ptr<void> make_value(const api::KindInfo& kind) {
    static const Makers makers = [] {
        Makers made;
        api::for_each_kind([&]<class K>() {
            if constexpr (requires(K k) { k.metadata.uid; })
                made[&api::kind_info<K>()] = []() -> std::shared_ptr<void> { return std::make_shared<K>(); };
        });
        return made;
    }();
    const auto found = makers.find(&kind);
    return found == makers.end() ? maker_of(kind)() : found->second();
}

ObjectMeta& metadata_in(const api::TypeInfo& type, void* object) {
    const api::FieldInfo* field = type.find("metadata");
    CHECK(field, type.name);
    return *reinterpret_cast<ObjectMeta*>(static_cast<char*>(object) + field->offset);
}

Result<void> decode_into(const api::TypeInfo& type, void* object, std::string_view json, const Reading& reading) {
    const auto decoded = api::decode_json(type, object, json, answer_limits(reading.dialect));
    if (!decoded.ok()) return Error{Code::kCorrupt, "cannot read what the server sent: " + decoded.error().message};
    drop_managed_fields(metadata_in(type, object), reading.with_managers);
    return {};
}

// The HTTP status that a Status document was or would have been sent with.
int code_in(std::string_view status) {
    int code = 500;
    (void)for_each_member(status, [&](std::string_view key, std::string_view value) -> Result<void> {
        if (key == "code") std::from_chars(value.data(), value.data() + value.size(), code);
        return {};
    });
    return code;
}

}  // namespace

const ObjectMeta& metadata_of(const api::KindInfo& kind, const void* object) {
    return metadata_in(kind.type(), const_cast<void*>(object));
}

Result<AnyObject> decode_answer(const api::KindInfo& kind, std::string_view json, Client::View view,
                                const Reading& reading) {
    if (view == Client::View::kMetadata) {
        auto object = std::make_shared<PartialObjectMetadata>();
        TRY(decode_into(PartialObjectMetadata::info(), object.get(), json, reading));
        const ObjectMeta* metadata = &object->metadata;
        return AnyObject(std::move(object), metadata);
    }
    std::shared_ptr<void> object = make_value(kind);
    TRY(decode_into(kind.type(), object.get(), json, reading));
    return AnyObject(std::move(object));
}

Result<Page> decode_page(const api::KindInfo& kind, std::string_view json, Client::View view, const Reading& reading) {
    Page page;
    const auto read_metadata = [&](std::string_view key, std::string_view value) -> Result<void> {
        if (key == "resourceVersion") page.listing.resource_version = plain_text(value);
        if (key == "continue") page.next = plain_text(value);
        return {};
    };
    const auto read_item = [&](std::string_view item) -> Result<void> {
        TRY_ASSIGN(AnyObject object, decode_answer(kind, item, view, reading));
        page.listing.items.push_back(std::move(object));
        return {};
    };
    TRY(for_each_member(json, [&](std::string_view key, std::string_view value) -> Result<void> {
        if (key == "metadata") return for_each_member(value, read_metadata);
        if (key == "items") return for_each_element(value, read_item);
        return {};
    }));
    return page;
}

Result<Frame> decode_frame(const api::KindInfo& kind, std::string_view line, Client::View view,
                           const Reading& reading) {
    std::string_view type, object;
    TRY(for_each_member(line, [&](std::string_view key, std::string_view value) -> Result<void> {
        if (key == "type") type = plain_text(value);
        if (key == "object") object = value;
        return {};
    }));
    if (object.empty()) return Error{Code::kCorrupt, "an event of a watch has no object"};
    if (type == "ERROR") return status_error(code_in(object), object);
    Frame frame;
    TRY_ASSIGN(frame.event.object, decode_answer(kind, object, view, reading));
    frame.event.type = type == "ADDED"      ? EventType::kAdded
                       : type == "MODIFIED" ? EventType::kModified
                       : type == "DELETED"  ? EventType::kDeleted
                                            : EventType::kBookmark;
    if (frame.event.type != EventType::kBookmark) return frame;
    const ObjectMeta& metadata = view == Client::View::kMetadata
                                     ? *static_cast<const ObjectMeta*>(frame.event.object.get())
                                     : metadata_of(kind, frame.event.object.get());
    const Text* end = metadata.annotations.find(kInitialEventsEnd);
    frame.ends_initial = end && *end == "true";
    return frame;
}

}  // namespace muster::client
