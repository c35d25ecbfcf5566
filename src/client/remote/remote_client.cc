#include "client/remote/remote_client.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/codec/encode.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/meta/status.h"
#include "client/remote/decode_answer.h"
#include "client/remote/requests.h"
#include "client/remote/status_error.h"

namespace muster::client {
namespace {

constexpr int kConflictsMax = 5;

class RemoteWatch final : public AnyWatch {
public:
    RemoteWatch(std::unique_ptr<os::HttpIncoming> incoming, const api::KindInfo& kind, Client::View view,
                Reading reading, bool& out_of_touch)
        : incoming_(std::move(incoming)), kind_(kind), view_(view), reading_(reading), out_of_touch_(out_of_touch) {}

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        std::vector<AnyEvent> events;
        auto line = co_await incoming_->next_line();
        out_of_touch_ = !line.ok();
        if (!line.ok()) co_return std::move(line).error();
        if (!*line) co_return events;
        CO_TRY_ASSIGN(const Frame frame, decode_frame(kind_, **line, view_, reading_));
        events.push_back(frame.event);
        co_return events;
    }

private:
    std::unique_ptr<os::HttpIncoming> incoming_;
    const api::KindInfo& kind_;
    Client::View view_;
    const Reading reading_;
    bool& out_of_touch_;
};

class RemoteLog final : public LogStream {
public:
    using Incoming = std::unique_ptr<os::HttpIncoming>;
    explicit RemoteLog(std::function<os::Task<Result<Incoming>>()> open) : open_(std::move(open)) {}

    os::Task<Result<>> open() override {
        CO_TRY_ASSIGN(incoming_, co_await open_());
        co_return Result<>();
    }
    os::Task<Result<std::optional<std::string>>> next() override { return incoming_->next(); }

private:
    const std::function<os::Task<Result<Incoming>>()> open_;
    Incoming incoming_;
};

}  // namespace

RemoteClient::RemoteClient(std::shared_ptr<RemoteLink> link, RemoteSettings settings)
    : link_(std::move(link)),
      settings_(std::move(settings)),
      random_(static_cast<std::uint64_t>(link_->loop().now().since_epoch().count())) {}

Result<std::unique_ptr<RemoteClient>> RemoteClient::make(os::RealLoop& loop, const ServerAccess& access,
                                                         RemoteSettings settings) {
    TRY_ASSIGN(std::shared_ptr<RemoteLink> link, RemoteLink::make(loop, access, settings.transport));
    return std::make_unique<RemoteClient>(std::move(link), std::move(settings));
}

Reading RemoteClient::reading_of(const api::KindInfo& kind) const {
    return {settings_.dialect, settings_.with_managers.contains(&kind)};
}

std::string RemoteClient::listed_path(const api::KindInfo& kind, const std::string& namespace_) const {
    const bool one = kind.options.namespaced && namespace_.empty();
    return path_of(kind, one ? settings_.namespace_ : namespace_);
}

os::Task<Result<std::string>> RemoteClient::read(std::string target) {
    return ask(make_request("GET", std::move(target)), RequestClass::kStatus);
}

os::Task<bool> RemoteClient::is_ready() {
    const auto answer = co_await ask(make_request("GET", "/readyz"), RequestClass::kStatus);
    co_return answer.ok();
}

os::Task<Result<std::string>> RemoteClient::ask(os::HttpClientRequest request, RequestTurn turn) {
    if (request.method != "GET") request.check = check_write_;
    auto answer = co_await link_->transport().send(std::move(request), std::move(turn));
    out_of_touch_ = !answer.ok();
    if (!answer.ok()) co_return std::move(answer).error();
    if (answer->head.status < 200 || answer->head.status > 299)
        co_return status_error(answer->head.status, answer->body);
    co_return std::move(answer->body);
}

RemoteClient::AnyObjectTask RemoteClient::ask_object(const api::KindInfo& kind, os::HttpClientRequest request,
                                                     RequestTurn turn, View view) {
    CO_TRY_ASSIGN(const std::string body, co_await ask(std::move(request), std::move(turn)));
    co_return decode_answer(kind, body, view, reading_of(kind));
}

os::Task<Result<std::unique_ptr<os::HttpIncoming>>> RemoteClient::open(os::HttpClientRequest request) {
    auto incoming = co_await link_->transport().open(std::move(request));
    out_of_touch_ = !incoming.ok();
    if (!incoming.ok() || (*incoming)->head().status == 200) co_return incoming;
    std::string body;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<std::string> piece, co_await (*incoming)->next());
        if (!piece) co_return status_error((*incoming)->head().status, body);
        body += *piece;
    }
}

os::Task<Result<std::unique_ptr<os::HttpIncoming>>> RemoteClient::open_watch(os::HttpClientRequest request) {
    request.silence_max = settings_.silence_max;
    return open(std::move(request));
}

std::unique_ptr<LogStream> RemoteClient::open_log(ObjectName pod, const api::core::PodLogOptions& options) {
    const api::KindInfo& pods = api::kind_info<api::core::Pod>();
    std::string target = path_of(pods, pod.namespace_, pod.name) + "/log?" + format_log_query(options);
    return std::make_unique<RemoteLog>([this, target = std::move(target)] {
        os::HttpClientRequest request("GET", target);
        request.headers.push_back({"Accept", "*/*"});
        return open(std::move(request));
    });
}

std::string RemoteClient::with_selection(const api::KindInfo& kind, std::string target, std::string query) const {
    const auto found = settings_.selections.find(&kind);
    if (found != settings_.selections.end()) query += format_selectors(found->second.labels, found->second.fields);
    return target + "?" + query;
}

RemoteClient::AnyObjectTask RemoteClient::get_any(const api::KindInfo& kind, ObjectName name, View view) {
    return ask_object(kind, make_request("GET", path_of(kind, name.namespace_, name.name), view),
                      {class_for(kind, RequestClass::kStatus), flow_for({}, name)}, view);
}

os::Task<Result<AnyListing>> RemoteClient::list_any(const api::KindInfo& kind, std::string namespace_, View view) {
    if (streams_lists_) {
        auto listing = co_await list_by_stream(&kind, namespace_, view);
        if (listing.ok()) co_return listing;
        const Code code = listing.error().code;
        const bool refused = code == Code::kBadRequest || code == Code::kForbidden || code == Code::kInvalid;
        if (!refused) co_return listing;
        streams_lists_ = false;
    }
    co_return co_await list_by_pages(&kind, std::move(namespace_), view);
}

os::Task<Result<AnyListing>> RemoteClient::list_by_stream(const api::KindInfo* kind, std::string namespace_,
                                                          View view) {
    std::string target = with_selection(*kind, listed_path(*kind, namespace_), kStreamedListQuery);
    CO_TRY_ASSIGN(const auto incoming,
                  co_await open_watch(make_request("GET", std::move(target), view, Shape::kWatch)));
    AnyListing listing;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<std::string> line, co_await incoming->next_line());
        if (!line) co_return Error{Code::kUnavailable, "the server ended a list before it was complete"};
        CO_TRY_ASSIGN(Frame frame, decode_frame(*kind, *line, view, reading_of(*kind)));
        if (frame.event.type == EventType::kAdded) {
            listing.items.push_back(std::move(frame.event.object));
        } else if (frame.ends_initial) {
            const void* object = frame.event.object.get();
            listing.resource_version = view == View::kMetadata
                                           ? static_cast<const api::meta::ObjectMeta*>(object)->resource_version.str()
                                           : metadata_of(*kind, object).resource_version.str();
            co_return listing;
        }
    }
}

os::Task<Result<AnyListing>> RemoteClient::list_by_pages(const api::KindInfo* kind, std::string namespace_, View view) {
    AnyListing all;
    std::string query = kPageQuery;
    for (;;) {
        std::string target = with_selection(*kind, listed_path(*kind, namespace_), query);
        CO_TRY_ASSIGN(const std::string body, co_await ask(make_request("GET", std::move(target), view, Shape::kList),
                                                           RequestTurn(RequestClass::kStatus, namespace_)));
        CO_TRY_ASSIGN(Page page, decode_page(*kind, body, view, reading_of(*kind)));
        all.resource_version = std::move(page.listing.resource_version);
        for (AnyObject& item : page.listing.items) all.items.push_back(std::move(item));
        if (page.next.empty()) co_return all;
        query = std::string(kPageQuery) + "&continue=" + escape_query(page.next);
    }
}

os::Task<Result<std::unique_ptr<AnyWatch>>> RemoteClient::watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                    std::string resource_version, View view) {
    const std::int64_t seconds = random_.between(300, 600);
    std::string target =
        with_selection(kind, listed_path(kind, namespace_), format_watch_query(resource_version, seconds));
    CO_TRY_ASSIGN(auto incoming, co_await open_watch(make_request("GET", std::move(target), view, Shape::kWatch)));
    co_return std::unique_ptr<AnyWatch>(
        std::make_unique<RemoteWatch>(std::move(incoming), kind, view, reading_of(kind), out_of_touch_));
}

RemoteClient::AnyObjectTask RemoteClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    const Text namespace_ = metadata_of(kind, draft.get()).namespace_;
    std::string body;
    api::append_json(kind.type(), draft.get(), body, &kind, settings_.dialect);
    return ask_object(kind, make_write("POST", path_of(kind, namespace_), settings_.field_manager, std::move(body)),
                      {class_for(kind, RequestClass::kCreates), flow_for(kind, draft.get())}, View::kObject);
}

RemoteClient::AnyObjectTask RemoteClient::change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                     Part part) {
    const api::meta::ObjectMeta& metadata = metadata_of(kind, after.get());
    std::string target = path_of(kind, metadata.namespace_, metadata.name);
    const RequestTurn turn(class_for(kind, RequestClass::kStatus), flow_for(kind, after.get()));
    if (part == Part::kFinalize) {
        std::string body;
        api::append_json(kind.type(), after.get(), body, &kind, settings_.dialect);
        co_return co_await ask_object(kind,
                                      make_write("PUT", target + "/finalize", settings_.field_manager, std::move(body)),
                                      turn, View::kObject);
    }
    const PatchForm form = patch_form_of(kind);
    CO_TRY_ASSIGN(std::string body, format_change(kind, before.get(), after.get(), part, form));
    if (part == Part::kStatus) target += "/status";
    co_return co_await ask_object(
        kind, make_write("PATCH", std::move(target), settings_.field_manager, std::move(body), content_type_of(form)),
        turn, View::kObject);
}

RemoteClient::AnyObjectTask RemoteClient::patch_any(const api::KindInfo& kind, ObjectName name, MetadataPatch patch,
                                                    View view) {
    const PatchForm form = patch_form_of(kind);
    if (form == PatchForm::kMerge) return patch_custom(&kind, std::move(name), std::move(patch), view);
    os::HttpClientRequest request =
        make_write("PATCH", path_of(kind, name.namespace_, name.name), settings_.field_manager,
                   format_metadata_patch(patch), content_type_of(form), view);
    return ask_object(kind, std::move(request), {RequestClass::kFinalizers, flow_for(patch.flow, name)}, view);
}

RemoteClient::AnyObjectTask RemoteClient::patch_custom(const api::KindInfo* kind, ObjectName name, MetadataPatch patch,
                                                       View view) {
    for (int conflicts = 0;; ++conflicts) {
        CO_TRY_ASSIGN(const AnyObject present, co_await get_any(*kind, name, View::kMetadata));
        api::meta::PartialObjectMetadata before;
        before.metadata = *static_cast<const api::meta::ObjectMeta*>(present.get());
        const bool same_uid = patch.uid.empty() || patch.uid == before.metadata.uid;
        const bool same_version =
            patch.resource_version.empty() || patch.resource_version == before.metadata.resource_version;
        if (!same_uid || !same_version)
            co_return Error{Code::kConflict, std::string(kind->kind) + " " + format_name(name) + " has changed"};
        api::meta::PartialObjectMetadata after = before;
        apply_metadata_patch(patch, after.metadata);
        CO_TRY_ASSIGN(std::string body, format_change(api::kind_info<api::meta::PartialObjectMetadata>(), &before,
                                                      &after, Part::kMain, PatchForm::kMerge));
        os::HttpClientRequest request =
            make_write("PATCH", path_of(*kind, name.namespace_, name.name), settings_.field_manager, std::move(body),
                       content_type_of(PatchForm::kMerge), view);
        RequestTurn turn(RequestClass::kFinalizers, flow_for(patch.flow, name));
        auto patched = co_await ask_object(*kind, std::move(request), std::move(turn), view);
        const bool overtaken = !patched.ok() && patched.error().code == Code::kConflict;
        if (!overtaken || !patch.resource_version.empty() || conflicts == kConflictsMax) co_return patched;
    }
}

os::Task<Result<void>> RemoteClient::remove_any(const api::KindInfo& kind, ObjectName name, Removal removal) {
    os::HttpClientRequest request = make_request("DELETE", path_of(kind, name.namespace_, name.name));
    set_body(request, format_removal(removal), "application/json");
    RequestTurn turn(RequestClass::kRemovals, flow_for(removal.flow, name));
    CO_TRY(co_await ask(std::move(request), std::move(turn)));
    co_return Result<void>();
}

os::Task<Result<void>> RemoteClient::bind(ObjectName pod, Text uid, Text node) {
    boost::json::object body{{"kind", "Binding"}, {"apiVersion", "v1"}};
    body["metadata"] = boost::json::object{{"name", pod.name.str()}, {"uid", uid.str()}};
    body["target"] = boost::json::object{{"kind", "Node"}, {"name", node.str()}};
    std::string target = path_of(api::kind_info<api::core::Pod>(), pod.namespace_, pod.name) + "/binding";
    CO_TRY(co_await ask(make_write("POST", std::move(target), settings_.field_manager, boost::json::serialize(body)),
                        RequestTurn(RequestClass::kStatus, pod.namespace_.str())));
    co_return Result<void>();
}

}  // namespace muster::client
