#include "server/rest/streams/watch_event.h"

#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "api/text/wire.h"
#include "server/kind_object/views.h"
#include "server/rest/failure.h"
#include "server/rest/list.h"
#include "server/table/metadata.h"

namespace muster::server {
namespace {

using api::KindInfo;

const char* name_of_type(WatchType type) {
    switch (type) {
        case WatchType::kAdded: return "ADDED";
        case WatchType::kModified: return "MODIFIED";
        case WatchType::kDeleted: break;
    }
    return "DELETED";
}

KindObjectPtr stamped(const KindObject& object, store::Revision revision) {
    std::shared_ptr<KindObject> copy = make_object(object.kind(), object.data());
    copy->stamp(revision);
    return copy;
}

// The object alone, in the watch's form and without a line's end.
std::string encode_plain(const KindInfo& kind, const void* object, const api::meta::ObjectMeta& metadata,
                         const Presentation& as, bool first_table) {
    std::string out;
    const bool protobuf = as.form.encoding == Encoding::kProtobuf;
    switch (as.form.form) {
        case Form::kObject:
            if (protobuf) {
                api::append_envelope(kind, object, out);
            } else {
                api::append_json(kind.type(), object, out, &kind);
            }
            break;
        case Form::kTable: append_table(kind, object, {as.now, as.include, as.form.beta, first_table}, out); break;
        case Form::kPartialMetadata:
        case Form::kPartialMetadataList:
            if (protobuf) {
                append_partial_protobuf(metadata, as.form.beta, out);
            } else {
                append_partial_json(metadata, as.form.beta, out);
            }
            break;
    }
    return out;
}

std::string frame(std::string_view type, std::string_view object, const Presentation& as) {
    std::string out;
    if (as.form.encoding == Encoding::kProtobuf) {
        // WatchEvent {1: type, 2: {1: the object's bytes}}, behind its length.
        std::string raw;
        api::append_field(1, object, raw);
        std::string message;
        api::append_field(1, type, message);
        api::append_field(2, raw, message);
        const auto size = static_cast<std::uint32_t>(message.size());
        for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xff);
        return out + message;
    }
    out.reserve(object.size() + 40);
    out.append("{\"type\":\"").append(type).append("\",\"object\":").append(object).append("}\n");
    return out;
}

}  // namespace

std::optional<VisibleEvent> visible_event(const store::Event& event, const KindInfo& kind, const ListQuery& list) {
    const auto as_seen = [&](const store::ObjectPtr& object) {
        return as_kind(std::static_pointer_cast<const KindObject>(object), kind);
    };
    const KindObjectPtr now = event.object ? as_seen(event.object) : nullptr;
    if (list.selects_all()) {
        if (event.type == store::EventType::kCreated) return VisibleEvent{WatchType::kAdded, now};
        if (event.type == store::EventType::kUpdated) return VisibleEvent{WatchType::kModified, now};
    }
    const KindObjectPtr before = event.previous ? as_seen(event.previous) : nullptr;
    const bool seen_before = before && is_selected(*before, list);
    const bool seen_now = now && is_selected(*now, list);
    if (seen_now) return VisibleEvent{seen_before ? WatchType::kModified : WatchType::kAdded, now};
    if (seen_before) return VisibleEvent{WatchType::kDeleted, stamped(*before, event.revision)};
    return std::nullopt;
}

std::string encode_event(WatchType type, const KindObject& object, const Presentation& as, bool first_table) {
    const std::string plain = encode_plain(object.kind(), object.data(), object.metadata(), as, first_table);
    return frame(name_of_type(type), plain, as);
}

std::string encode_bookmark(const KindInfo& kind, store::Revision revision, bool initial_end, const Presentation& as,
                            bool first_table) {
    api::meta::ObjectMeta metadata;
    metadata.resource_version = std::to_string(revision);
    if (initial_end) metadata.annotations.set("k8s.io/initial-events-end", "true");
    if (kind.is_only_name()) {
        api::meta::PartialObjectMetadata object;
        object.metadata = metadata;
        return frame("BOOKMARK", encode_plain(kind, &object, metadata, as, first_table), as);
    }
    const std::shared_ptr<KindObject> object = make_object(kind);
    object->metadata() = metadata;
    return frame("BOOKMARK", encode_plain(kind, object->data(), metadata, as, first_table), as);
}

std::string encode_error_event(const Error& error, const Presentation& as) {
    const api::meta::Status status = status_of(error);
    std::string object;
    if (as.form.encoding == Encoding::kProtobuf) {
        api::append_envelope(api::kind_info<api::meta::Status>(), &status, object);
    } else {
        api::append_json(api::meta::Status::info(), &status, object, &api::kind_info<api::meta::Status>());
    }
    return frame("ERROR", object, as);
}

os::SharedBytes EncodedEvents::encode(const store::Event& event, const VisibleEvent& visible, const Presentation& as) {
    const auto make = [&] { return budget_.share(encode_event(visible.type, *visible.object, as, false)); };
    if (as.form.form == Form::kTable) return make();  // says how old things are
    const std::uint64_t key = event.revision << 8 | static_cast<std::uint64_t>(visible.type) << 6 |
                              static_cast<std::uint64_t>(as.form.encoding) << 4 |
                              static_cast<std::uint64_t>(as.form.form) << 1 | (as.form.beta ? 1u : 0u);
    Slot& slot = slots_[event.revision % slots_.size()];
    if (slot.key == key && slot.kind == &visible.object->kind()) return slot.bytes;
    os::SharedBytes bytes = make();
    bytes_ += bytes->size();
    bytes_ -= slot.bytes ? slot.bytes->size() : 0;
    if (bytes_ > kBytesMax) {
        slots_.fill({});
        bytes_ = bytes->size();
    }
    slot = {key, &visible.object->kind(), bytes};
    return bytes;
}

os::SharedBytes JoinedEvents::join(const std::vector<os::SharedBytes>& events) {
    if (events.size() == 1) return events[0];
    for (const Slot& slot : slots_)
        if (slot.events == events) return slot.bytes;
    std::size_t size = 0;
    for (const os::SharedBytes& event : events) size += event->size();
    std::string joined;
    joined.reserve(size);
    for (const os::SharedBytes& event : events) joined += *event;
    Slot& slot = slots_[next_++ % slots_.size()];
    slot = {events, budget_.share(std::move(joined))};
    return slot.bytes;
}

}  // namespace muster::server
