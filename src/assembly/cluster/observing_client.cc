#include "assembly/cluster/observing_client.h"

#include "api/kinds/core/event.h"
#include "client/remote/decode_answer.h"

namespace muster {
namespace {

using client::AnyObject;
using client::ObjectName;
using client::Part;

constexpr std::size_t kToldMax = 100'000;
constexpr std::size_t kPatchBytesMax = 2000;

std::string subject(const api::KindInfo& kind, const ObjectName& name) {
    return std::string(kind.kind) + ' ' + client::format_name(name);
}

std::string shortened(std::string text) {
    if (text.size() > kPatchBytesMax) text.replace(kPatchBytesMax, std::string::npos, "…");
    return text;
}

std::string describe_creation(const api::KindInfo& kind, const void* draft) {
    const api::meta::ObjectMeta& metadata = client::metadata_of(kind, draft);
    std::string line = "would create " + subject(kind, client::name_of_metadata(metadata));
    for (const api::meta::OwnerReference& owner : metadata.owner_references)
        if (owner.controller.value_or(false)) line += " of " + owner.kind.str() + ' ' + owner.name.str();
    if (&kind != &api::kind_info<api::core::Event>()) return line;
    const auto& event = *static_cast<const api::core::Event*>(draft);
    return "would record " + event.type.str() + ' ' + event.reason.str() + " about " +
           event.involved_object.kind.str() + ' ' + event.involved_object.namespace_.str() + '/' +
           event.involved_object.name.str() + ": " + event.message.str();
}

}  // namespace

Result<> ObservingClient::would(std::string line) {
    if (told_.size() >= kToldMax) told_.clear();
    if (!told_.insert(std::hash<std::string>()(line)).second)
        return Error{Code::kUnavailable, "this process observes, and has told that before"};
    tell_(line);
    return {};
}

ObservingClient::AnyObjectTask ObservingClient::get_any(const api::KindInfo& kind, ObjectName name, View view) {
    return inner_->get_any(kind, std::move(name), view);
}

os::Task<Result<client::AnyListing>> ObservingClient::list_any(const api::KindInfo& kind, std::string namespace_,
                                                               View view) {
    return inner_->list_any(kind, std::move(namespace_), view);
}

os::Task<Result<std::unique_ptr<client::AnyWatch>>> ObservingClient::watch_any(const api::KindInfo& kind,
                                                                               std::string namespace_,
                                                                               std::string resource_version,
                                                                               View view) {
    return inner_->watch_any(kind, std::move(namespace_), std::move(resource_version), view);
}

ObservingClient::AnyObjectTask ObservingClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    CO_TRY(would(describe_creation(kind, draft.get())));
    co_return draft;
}

ObservingClient::AnyObjectTask ObservingClient::change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                           Part part) {
    const ObjectName name = client::name_of_metadata(client::metadata_of(kind, after.get()));
    std::string line = "would change " + subject(kind, name);
    if (part == Part::kStatus) {
        CO_TRY_ASSIGN(const std::string patch,
                      client::format_change(kind, before.get(), after.get(), part, client::patch_form_of(kind)));
        line += " in its status: " + shortened(patch);
    }
    CO_TRY(would(std::move(line)));
    co_return after;
}

ObservingClient::AnyObjectTask ObservingClient::patch_any(const api::KindInfo& kind, ObjectName name,
                                                          client::MetadataPatch patch, View view) {
    CO_TRY(would("would change " + subject(kind, name) +
                 " in its metadata: " + shortened(client::format_metadata_patch(patch))));
    co_return co_await inner_->get_any(kind, std::move(name), view);
}

os::Task<Result<void>> ObservingClient::remove_any(const api::KindInfo& kind, ObjectName name,
                                                   client::Removal removal) {
    const std::string uid = removal.uid ? " with the UID " + removal.uid->str() : "";
    co_return would("would delete " + subject(kind, name) + uid);
}

os::Task<Result<void>> ObservingClient::bind(ObjectName pod, Text uid, Text node) {
    co_return would("would bind Pod " + client::format_name(pod) + " with the UID " + uid.str() + " to " + node.str());
}

}  // namespace muster
