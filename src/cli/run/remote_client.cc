#include "cli/run/remote_client.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/core/pod.h"
#include "cli/connection/session.h"
#include "cli/text/document.h"
#include "server/kind_object/kind_object.h"

namespace muster::cli {
namespace {

namespace json = boost::json;
using client::AnyEvent;
using client::AnyObject;
using client::EventType;
using View = client::Client::View;

constexpr std::size_t kAnswerBytesMax = 1u << 30;

std::string path_of(const api::KindInfo& kind, std::string_view namespace_, std::string_view name = {}) {
    std::string path = *kind.group ? "/apis/" + kind.api_version() : std::string("/api/") + kind.version;
    if (!namespace_.empty()) path.append("/namespaces/").append(namespace_);
    path.append("/").append(kind.options.plural);
    if (!name.empty()) path.append("/").append(name);
    return path;
}

os::HttpClientRequest request_of(const char* method, std::string target, std::string body = {},
                                 const char* content_type = "application/json") {
    os::HttpClientRequest request(method, std::move(target));
    request.headers.push_back({"Accept", "application/json"});
    if (!body.empty()) request.headers.push_back({"Content-Type", content_type});
    request.body = std::move(body);
    return request;
}

AnyObject seen_through(std::shared_ptr<server::KindObject> object, View view) {
    const void* value = view == View::kMetadata ? static_cast<const void*>(&std::as_const(*object).metadata())
                                                : std::as_const(*object).data();
    return {std::move(object), value};
}

// A server may have fields that we do not know: they are kept, and are part of what we write.
Result<AnyObject> decode_object(const api::KindInfo& kind, std::string_view text, View view) {
    std::shared_ptr<server::KindObject> object = server::make_object(kind);
    TRY(api::decode_json(kind.type(), object->data(), text, {.keep_unknown = true}));
    return seen_through(std::move(object), view);
}

std::string encode_object(const api::KindInfo& kind, const AnyObject& object) {
    std::string body;
    api::append_json(kind.type(), object.get(), body, &kind);
    return body;
}

class RemoteWatch final : public client::AnyWatch {
public:
    RemoteWatch(std::unique_ptr<os::HttpIncoming> incoming, const api::KindInfo& kind, View view, bool& out_of_touch)
        : incoming_(std::move(incoming)), kind_(kind), view_(view), out_of_touch_(out_of_touch) {}

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        auto line = co_await incoming_->next_line();
        if (!line.ok()) {
            out_of_touch_ = true;
            co_return std::move(line).error();
        }
        if (!*line) co_return Error{Code::kExpired, "the watch has ended"};
        CO_TRY_ASSIGN(const AnyEvent event, read(**line));
        std::vector<AnyEvent> events;
        events.push_back(event);
        co_return events;
    }

private:
    Result<AnyEvent> read(const std::string& line) const {
        TRY_ASSIGN(const json::value frame, api::parse_dom(line, {.bytes_max = kAnswerBytesMax}));
        const std::string type = text_at(frame, "/type");
        const json::value* object = find_at(frame, "/object");
        if (!object) return Error{Code::kBadRequest, "an event of a watch has no object"};
        if (type == "ERROR") return Error{Code::kExpired, text_at(frame, "/object/message")};
        TRY_ASSIGN(AnyObject decoded, decode_object(kind_, json::serialize(*object), view_));
        const EventType as = type == "ADDED"      ? EventType::kAdded
                             : type == "MODIFIED" ? EventType::kModified
                             : type == "DELETED"  ? EventType::kDeleted
                                                  : EventType::kBookmark;
        return AnyEvent{as, std::move(decoded)};
    }

    std::unique_ptr<os::HttpIncoming> incoming_;
    const api::KindInfo& kind_;
    View view_;
    bool& out_of_touch_;
};

const char* propagation_name(client::Propagation propagation) {
    switch (propagation) {
        case client::Propagation::kOrphan: return "Orphan";
        case client::Propagation::kBackground: return "Background";
        case client::Propagation::kForeground: break;
    }
    return "Foreground";
}

std::string delete_body(const client::Removal& removal) {
    json::object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
    json::object preconditions;
    if (removal.uid) preconditions["uid"] = removal.uid->str();
    if (removal.resource_version) preconditions["resourceVersion"] = removal.resource_version->str();
    if (!preconditions.empty()) body["preconditions"] = preconditions;
    if (removal.propagation) body["propagationPolicy"] = propagation_name(*removal.propagation);
    if (removal.grace_seconds) body["gracePeriodSeconds"] = *removal.grace_seconds;
    return json::serialize(body);
}

const char* suffix_of(client::Part part) {
    switch (part) {
        case client::Part::kMain: return "";
        case client::Part::kStatus: return "/status";
        case client::Part::kFinalize: break;
    }
    return "/finalize";
}

}  // namespace

Result<std::unique_ptr<RemoteClient>> RemoteClient::make(os::RealLoop& loop, const ServerAccess& access) {
    os::HttpClientSettings settings;
    TRY_ASSIGN(settings.origin, os::parse_origin(access.server));
    settings.tls.server_authorities = access.ca_certificates;
    settings.tls.verify_server = !access.insecure;
    if (!access.client_certificate.empty())
        settings.tls.identity = os::TlsIdentity{access.client_certificate, access.client_key};
    settings.server_name = access.tls_server_name;
    settings.bearer_token = access.token;
    std::unique_ptr<RemoteClient> client(new RemoteClient(loop));
    TRY_ASSIGN(client->http_, os::make_http_client(loop, client->network_, client->worker_, std::move(settings)));
    return client;
}

os::Task<bool> RemoteClient::is_ready() {
    auto answer = co_await ask(os::HttpClientRequest("GET", "/readyz"));
    co_return answer.ok();
}

os::Task<Result<std::string>> RemoteClient::ask(os::HttpClientRequest request) {
    auto answer = co_await http_->send(std::move(request));
    out_of_touch_ = !answer.ok();
    if (!answer.ok()) co_return std::move(answer).error();
    if (answer->head.status < 200 || answer->head.status > 299)
        co_return status_error(answer->head.status, answer->body);
    co_return std::move(answer->body);
}

RemoteClient::AnyObjectTask RemoteClient::ask_object(const api::KindInfo& kind, os::HttpClientRequest request,
                                                     View view) {
    CO_TRY_ASSIGN(const std::string body, co_await ask(std::move(request)));
    co_return decode_object(kind, body, view);
}

RemoteClient::AnyObjectTask RemoteClient::get_any(const api::KindInfo& kind, client::ObjectName name, View view) {
    co_return co_await ask_object(kind, request_of("GET", path_of(kind, name.namespace_, name.name)), view);
}

os::Task<Result<client::AnyListing>> RemoteClient::list_any(const api::KindInfo& kind, std::string namespace_,
                                                            View view) {
    CO_TRY_ASSIGN(const std::string body, co_await ask(request_of("GET", path_of(kind, namespace_))));
    CO_TRY_ASSIGN(const json::value list, api::parse_dom(body, {.bytes_max = kAnswerBytesMax}));
    client::AnyListing out{{}, text_at(list, "/metadata/resourceVersion")};
    for (const json::value& item : array_at(list, "/items")) {
        CO_TRY_ASSIGN(AnyObject object, decode_object(kind, json::serialize(item), view));
        out.items.push_back(std::move(object));
    }
    co_return out;
}

os::Task<Result<std::unique_ptr<client::AnyWatch>>> RemoteClient::watch_any(const api::KindInfo& kind,
                                                                            std::string namespace_,
                                                                            std::string resource_version, View view) {
    std::string target = path_of(kind, namespace_) + "?watch=true&allowWatchBookmarks=true&resourceVersion=";
    auto incoming = co_await http_->open(request_of("GET", target + resource_version));
    out_of_touch_ = !incoming.ok();
    if (!incoming.ok()) co_return std::move(incoming).error();
    const int status = (*incoming)->head().status;
    if (status != 200) co_return status_error(status, "");
    std::unique_ptr<client::AnyWatch> watch =
        std::make_unique<RemoteWatch>(std::move(*incoming), kind, view, out_of_touch_);
    co_return watch;
}

RemoteClient::AnyObjectTask RemoteClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    CO_TRY_ASSIGN(AnyObject seen, decode_object(kind, encode_object(kind, draft), View::kMetadata));
    const std::string namespace_ = static_cast<const api::meta::ObjectMeta*>(seen.get())->namespace_.str();
    co_return co_await ask_object(kind, request_of("POST", path_of(kind, namespace_), encode_object(kind, draft)),
                                  View::kObject);
}

RemoteClient::AnyObjectTask RemoteClient::update_any(const api::KindInfo& kind, AnyObject draft, client::Part part) {
    CO_TRY_ASSIGN(AnyObject seen, decode_object(kind, encode_object(kind, draft), View::kMetadata));
    const auto& metadata = *static_cast<const api::meta::ObjectMeta*>(seen.get());
    std::string target = path_of(kind, metadata.namespace_, metadata.name) + suffix_of(part);
    co_return co_await ask_object(kind, request_of("PUT", std::move(target), encode_object(kind, draft)),
                                  View::kObject);
}

RemoteClient::AnyObjectTask RemoteClient::patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                    client::MetadataPatch patch, View view) {
    co_return co_await ask_object(
        kind,
        request_of("PATCH", path_of(kind, name.namespace_, name.name), client::format_metadata_patch(patch),
                   "application/strategic-merge-patch+json"),
        view);
}

os::Task<Result<void>> RemoteClient::remove_any(const api::KindInfo& kind, client::ObjectName name,
                                                client::Removal removal) {
    CO_TRY(co_await ask(request_of("DELETE", path_of(kind, name.namespace_, name.name), delete_body(removal))));
    co_return Result<void>();
}

os::Task<Result<void>> RemoteClient::bind_any(client::ObjectName pod, Text uid, Text node) {
    json::object body{{"kind", "Binding"}, {"apiVersion", "v1"}};
    body["metadata"] = json::object{{"name", pod.name.str()}, {"uid", uid.str()}};
    body["target"] = json::object{{"kind", "Node"}, {"name", node.str()}};
    std::string target = path_of(api::kind_info<api::core::Pod>(), pod.namespace_, pod.name) + "/binding";
    CO_TRY(co_await ask(request_of("POST", std::move(target), json::serialize(body))));
    co_return Result<void>();
}

}  // namespace muster::cli
