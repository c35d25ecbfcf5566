#include "api/testing/story_server.h"

#include <boost/json/parse.hpp>

#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/defaults/pod.h"
#include "api/kinds/all.h"
#include "api/kinds/kind_list.h"
#include "api/schema/resource_name.h"
#include "api/value/failure_code.h"

namespace muster::api {
namespace {

namespace json = boost::json;

template <class... K>
std::shared_ptr<void> make_one_of(const KindInfo& kind) {
    std::shared_ptr<void> made;
    ((&kind_info<K>() == &kind ? void(made = std::make_shared<K>()) : void()), ...);
    CHECK(made, kind.kind);
    return made;
}

// The kinds that stories are about.
std::shared_ptr<void> make_object(const KindInfo& kind) {
    return make_one_of<core::Pod, core::PodTemplate, batch::Job, batch::CronJob, core::Namespace, core::ConfigMap,
                       core::Secret, core::Service, core::ServiceAccount, core::ResourceQuota, core::Event,
                       coordination::Lease, rbac::Role, scheduling::PriorityClass, policy::PodDisruptionBudget>(kind);
}

StoryAnswer failure(const Error& error) {
    const FailureCode as = failure_code(error.code);
    json::array causes;
    for (const Cause& cause : error.causes)
        causes.push_back({{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
    return {as.http,
            {{"kind", "Status"},
             {"status", "Failure"},
             {"reason", as.reason},
             {"message", error.message},
             {"details", {{"causes", std::move(causes)}}}}};
}

// jobs.batch "j"
std::string named(const KindInfo& kind, std::string_view name) {
    return format_resource(kind) + " \"" + std::string(name) + "\"";
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

std::optional<PatchKind> patch_kind(std::string_view content_type) {
    if (content_type == "application/json-patch+json") return PatchKind::kJson;
    if (content_type == "application/merge-patch+json") return PatchKind::kMerge;
    if (content_type == "application/strategic-merge-patch+json") return PatchKind::kStrategic;
    return std::nullopt;
}

}  // namespace

StoryServer::StoryServer(std::string namespace_) : namespaces_{std::move(namespace_)} {
    context_.knows_time_zone = [](std::string_view zone) { return zone == "UTC" || zone == "Europe/Paris"; };
}

std::optional<StoryServer::Request> StoryServer::route(const StoryStep& step) const {
    const std::size_t question = step.path.find('?');
    std::vector<std::string> parts = split(std::string_view(step.path).substr(0, question), '/');
    const std::size_t prefix = !parts.empty() && parts[0] == "apis" ? 3 : 2;
    if (parts.size() <= prefix) return std::nullopt;
    const std::string group = prefix == 3 ? parts[1] : "";
    const std::string version = parts[prefix - 1];
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
    std::string space;
    if (parts[0] == "namespaces" && parts.size() > 2 && parts[2] != "status" && parts[2] != "finalize") {
        space = parts[1];
        parts.erase(parts.begin(), parts.begin() + 2);
    }
    const KindInfo* kind = find_resource(group, version, parts[0]);
    const KindRules* rules = kind ? find_rules(*kind) : nullptr;
    if (!rules || parts.size() > 3 || (parts.size() == 3 && parts[2] != "status")) return std::nullopt;
    Request request{step, *rules, space, parts.size() > 1 ? parts[1] : "", parts.size() == 3, false, ""};
    if (question == std::string::npos) return request;
    for (const std::string& option : split(std::string_view(step.path).substr(question + 1), '&')) {
        if (option == "dryRun=All") request.is_dry_run = true;
        if (option.starts_with("fieldValidation=")) request.field_validation = option.substr(option.find('=') + 1);
    }
    return request;
}

std::optional<StoryAnswer> StoryServer::answer(const StoryStep& step) {
    const std::optional<Request> request = route(step);
    const bool is_create = step.verb == "POST";
    if (!request || (is_create != request->name.empty()) || step.verb == "DELETE") return std::nullopt;
    const Result<Written> written = handle(*request);
    if (!written.ok()) return failure(written.error());
    std::string text;
    append_json(request->rules.kind->type(), written->object.get(), text, request->rules.kind);
    return StoryAnswer{written->code, json::parse(text)};
}

Result<StoryServer::Written> StoryServer::handle(const Request& request) {
    if (request.step.verb == "POST") return create(request);
    if (request.step.verb == "PUT") return replace(request);
    if (request.step.verb == "PATCH") return patch(request);
    TRY_ASSIGN(Object object, find(request));
    return Written{200, std::move(object)};
}

Result<StoryServer::Object> StoryServer::find(const Request& request) const {
    const auto found = objects_.find(request.key());
    if (found == objects_.end()) return Error{Code::kNotFound, named(*request.rules.kind, request.name) + " not found"};
    return found->second;
}

Result<StoryServer::Object> StoryServer::decode_body(const Request& request) const {
    const KindInfo& kind = *request.rules.kind;
    Object object = make_object(kind);
    const auto refuse = [&](std::string_view sent_kind, const std::string& why) {
        return Error{Code::kBadRequest, std::string(sent_kind) + " in version \"" + kind.version +
                                            "\" cannot be handled as a " + kind.kind + ": " + why};
    };
    const Result<Decoded> decoded = decode_json(kind.type(), object.get(), request.step.body);
    if (!decoded.ok()) return refuse(kind.kind, decoded.error().message);
    if (!decoded->kind.empty() && decoded->kind != kind.kind)
        return refuse(decoded->kind, "converting (v1." + decoded->kind + ") to (" + kind.group + "." + kind.kind +
                                         "): unknown conversion");
    if (request.field_validation == "Strict")
        if (const Result<void> strict = check_strict(*decoded); !strict.ok())
            return refuse(kind.kind, strict.error().message);
    return object;
}

// What fills in without refusing: tolerations and priority of pods.
void StoryServer::admit(const KindRules& rules, void* object) const {
    if (rules.kind != &kind_info<core::Pod>()) return;
    core::Pod& pod = *static_cast<core::Pod*>(object);
    scheduling::PriorityClass critical;
    critical.metadata.name = "system-node-critical";
    critical.value = 2'000'001'000;
    admit_priority(pod, pod.spec.priority_class_name == critical.metadata.name ? &critical : nullptr);
    admit_default_tolerations(pod);
}

StoryServer::Object StoryServer::store(const Request& request, Object object) {
    meta::ObjectMeta& metadata = request.rules.metadata(object.get());
    if (request.is_dry_run) return object;
    metadata.resource_version = std::to_string(++revision_);
    Request stored = request;
    stored.name = metadata.name.str();
    objects_[stored.key()] = object;
    if (request.rules.kind == &kind_info<core::Namespace>()) namespaces_.insert(stored.name);
    return object;
}

Result<StoryServer::Written> StoryServer::create(const Request& request) {
    const KindRules& rules = request.rules;
    if (!request.field_validation.empty() && request.field_validation != "Strict" &&
        request.field_validation != "Warn" && request.field_validation != "Ignore") {
        FieldErrors errors;
        errors.add_not_supported(FieldPath("fieldValidation"), request.field_validation,
                                 {"", "Ignore", "Strict", "Warn"});
        const KindInfo options{"meta.k8s.io", "v1", "CreateOptions", {}, nullptr};
        return invalid_object(options, "", std::move(errors));
    }
    if (rules.kind->options.namespaced && !namespaces_.contains(request.namespace_))
        return Error{Code::kNotFound, "namespaces \"" + request.namespace_ + "\" not found"};
    TRY_ASSIGN(const Object object, decode_body(request));
    meta::ObjectMeta& metadata = rules.metadata(object.get());
    if (!metadata.namespace_.empty() && !(metadata.namespace_ == request.namespace_)) {
        return Error{Code::kBadRequest,
                     "the namespace of the provided object does not match the namespace sent on the request"};
    }
    metadata.namespace_ = request.namespace_;
    if (metadata.name.empty() && !metadata.generate_name.empty()) metadata.name = metadata.generate_name + "abcde";
    metadata.uid = "00000000-0000-0000-0000-" + std::to_string(100'000'000'000 + ++revision_);
    metadata.creation_timestamp = Time::from_unix_seconds(1'700'000'000);
    rules.fill_defaults(object.get());
    admit(rules, object.get());
    rules.prepare_create(object.get());
    if (FieldErrors errors = rules.validate_create(object.get(), context_); !errors.empty())
        return invalid_object(*rules.kind, metadata.name, std::move(errors));
    Request created = request;
    created.name = metadata.name.str();
    if (find(created).ok()) return Error{Code::kAlreadyExists, named(*rules.kind, created.name) + " already exists"};
    return Written{201, store(request, object)};
}

Result<StoryServer::Written> StoryServer::update(const Request& request, Object now, const Object& before) {
    const KindRules& rules = request.rules;
    const meta::ObjectMeta& sent = rules.metadata(now.get());
    if (!sent.resource_version.empty() && !(sent.resource_version == rules.metadata(before.get()).resource_version)) {
        return Error{Code::kConflict, "Operation cannot be fulfilled on " + named(*rules.kind, request.name) +
                                          ": the object has been modified; please apply your changes to the latest "
                                          "version and try again"};
    }
    rules.fill_defaults(now.get());
    if (request.is_status) {
        rules.prepare_status_update(now.get(), before.get());
    } else {
        rules.prepare_update(now.get(), before.get());
    }
    FieldErrors errors = request.is_status ? rules.validate_status_update(now.get(), before.get(), context_)
                                           : rules.validate_update(now.get(), before.get(), context_);
    if (!errors.empty()) return invalid_object(*rules.kind, request.name, std::move(errors));
    return Written{200, store(request, std::move(now))};
}

Result<StoryServer::Written> StoryServer::replace(const Request& request) {
    TRY_ASSIGN(const Object before, find(request));
    TRY_ASSIGN(const Object now, decode_body(request));
    meta::ObjectMeta& metadata = request.rules.metadata(now.get());
    const Text& uid = request.rules.metadata(before.get()).uid;
    if (!metadata.uid.empty() && !(metadata.uid == uid)) {
        return Error{Code::kConflict, "Operation cannot be fulfilled on " + named(*request.rules.kind, request.name) +
                                          ": Precondition failed: UID in precondition: " + metadata.uid.str() +
                                          ", UID in object meta: " + uid.str()};
    }
    metadata.namespace_ = request.namespace_;
    return update(request, now, before);
}

Result<StoryServer::Written> StoryServer::patch(const Request& request) {
    const KindInfo& kind = *request.rules.kind;
    const std::optional<PatchKind> how = patch_kind(request.step.content_type);
    if (!how) return Error{Code::kUnsupportedMediaType, "415: Unsupported Media Type"};
    TRY_ASSIGN(const Object before, find(request));
    TRY_ASSIGN(const json::value document, to_dom(kind.type(), before.get(), &kind));
    TRY_ASSIGN(const json::value patched, apply_patch(*how, kind.type(), document, request.step.body, {}));
    const Object now = make_object(kind);
    const Result<Decoded> decoded = decode_dom(kind.type(), now.get(), patched);
    if (!decoded.ok()) {
        FieldErrors errors;
        errors.add_invalid(FieldPath("patch"), Shown::nothing(), decoded.error().message);
        return Error{Code::kInvalid, "patch: " + decoded.error().message, std::move(errors).causes()};
    }
    return update(request, now, before);
}

}  // namespace muster::api
