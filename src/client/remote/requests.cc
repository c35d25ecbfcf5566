#include "client/remote/requests.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/kinds/coordination.h"
#include "api/kinds/core/event.h"
#include "client/remote/decode_answer.h"

namespace muster::client {
namespace {

namespace json = boost::json;

// Of objects of which only the metadata is wanted, only that is sent. A server that cannot do so sends them whole.
const char* accept_of(Client::View view, Shape shape) {
    if (view == Client::View::kObject) return "application/json";
    return shape == Shape::kList ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
                                 : "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
}

}  // namespace

RequestClass class_for(const api::KindInfo& kind, RequestClass usual) {
    if (&kind == &api::kind_info<api::coordination::Lease>()) return RequestClass::kLease;
    return &kind == &api::kind_info<api::core::Event>() ? RequestClass::kEvents : usual;
}

std::string flow_for(const api::KindInfo& kind, const void* object) {
    if (&kind == &api::kind_info<api::core::Event>())
        return static_cast<const api::core::Event*>(object)->involved_object.uid.str();
    const api::meta::ObjectMeta& metadata = metadata_of(kind, object);
    return flow_for(flow_of(metadata), name_of_metadata(metadata));
}

std::string flow_for(const Text& given, const ObjectName& name) {
    return given.empty() ? name.namespace_.str() : given.str();
}

std::string path_of(const api::KindInfo& kind, std::string_view namespace_, std::string_view name) {
    std::string path = *kind.group ? "/apis/" + kind.api_version() : std::string("/api/") + kind.version;
    if (!namespace_.empty()) path.append("/namespaces/").append(namespace_);
    path.append("/").append(kind.options.plural);
    if (!name.empty()) path.append("/").append(name);
    return path;
}

std::string escape_query(std::string_view text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '.' || c == '_' || c == '~';
        if (plain) {
            out += c;
        } else {
            out += '%';
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        }
    }
    return out;
}

std::string format_watch_query(std::string_view resource_version, std::int64_t timeout_seconds) {
    return "watch=true&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(timeout_seconds) +
           "&resourceVersion=" + escape_query(resource_version);
}

std::string format_selectors(std::string_view labels, std::string_view fields) {
    std::string out;
    if (!labels.empty()) out += "&labelSelector=" + escape_query(labels);
    if (!fields.empty()) out += "&fieldSelector=" + escape_query(fields);
    return out;
}

const char* propagation_name(Propagation propagation) {
    switch (propagation) {
        case Propagation::kOrphan: return "Orphan";
        case Propagation::kBackground: return "Background";
        case Propagation::kForeground: break;
    }
    return "Foreground";
}

std::string format_removal(const Removal& removal) {
    json::object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
    json::object preconditions;
    if (removal.uid) preconditions["uid"] = removal.uid->str();
    if (removal.resource_version) preconditions["resourceVersion"] = removal.resource_version->str();
    if (!preconditions.empty()) body["preconditions"] = preconditions;
    if (removal.propagation) body["propagationPolicy"] = propagation_name(*removal.propagation);
    if (removal.grace_seconds) body["gracePeriodSeconds"] = *removal.grace_seconds;
    return json::serialize(body);
}

std::string format_log_query(const api::core::PodLogOptions& options) {
    std::string out = "container=" + escape_query(options.container);
    const auto add_flag = [&](const char* name, bool set) {
        if (set) out.append("&").append(name).append("=true");
    };
    const auto add_number = [&](const char* name, const std::optional<std::int64_t>& number) {
        if (number) out.append("&").append(name).append("=").append(std::to_string(*number));
    };
    add_flag("follow", options.follow);
    add_flag("previous", options.previous);
    add_flag("timestamps", options.timestamps);
    add_number("sinceSeconds", options.since_seconds);
    add_number("tailLines", options.tail_lines);
    add_number("limitBytes", options.limit_bytes);
    if (options.stream) out += "&stream=" + escape_query(*options.stream);
    return out;
}

os::HttpClientRequest make_request(const char* method, std::string target, Client::View view, Shape shape) {
    os::HttpClientRequest request(method, std::move(target));
    request.headers.push_back({"Accept", accept_of(view, shape)});
    return request;
}

void set_body(os::HttpClientRequest& request, std::string body, const char* content_type) {
    request.headers.push_back({"Content-Type", content_type});
    request.body = std::move(body);
}

os::HttpClientRequest make_write(const char* method, std::string target, const std::string& field_manager,
                                 std::string body, const char* content_type, Client::View view) {
    target += "?fieldValidation=Ignore&fieldManager=" + escape_query(field_manager);
    os::HttpClientRequest request = make_request(method, std::move(target), view);
    set_body(request, std::move(body), content_type);
    return request;
}

}  // namespace muster::client
