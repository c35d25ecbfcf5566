#include "server/rest/incoming.h"

#include "base/ascii.h"
#include "os/loop/guard.h"
#include "server/rest/patch_body.h"

namespace muster::server {
namespace {

// Kinds that are custom resources elsewhere have no protobuf form, only our own numbers, which are for stored records.
bool has_protobuf(const api::KindInfo& kind) { return kind.type().package.starts_with("io.k8s."); }

// Clients that take protobuf mostly take JSON as well, and look at what they got.
Result<> keep_to_text(std::string_view accept, Call& call) {
    AnswerForm& form = call.as.form;
    if (form.encoding != Encoding::kProtobuf || form.form != Form::kObject || has_protobuf(call.kind())) return {};
    if (accept.find("application/json") == std::string_view::npos && accept.find("*/*") == std::string_view::npos)
        return Error{Code::kNotAcceptable,
                     "only the following media types are accepted: application/json, application/yaml"};
    form.encoding = Encoding::kJson;
    return {};
}

// As upstream: what is only answered (reviews, tokens, bindings, evictions) is not shown as a table.
bool has_table(const Call& call) {
    return !call.route.served->virtual_only && std::string_view(call.kind().kind) == call.resource_kind().kind;
}

Result<> read_form(const os::HttpRequest& request, Call& call) {
    if (call.verb == Verb::kWatch) {
        TRY_ASSIGN(call.as.form, negotiate_stream(request.header("accept")));
    } else {
        TRY_ASSIGN(call.as.form, negotiate_answer(request.header("accept"), call.query, request.header("user-agent"),
                                                  has_table(call)));
    }
    TRY(keep_to_text(request.header("accept"), call));
    TRY_ASSIGN(call.as.include, parse_include_object(call.query.get("includeObject")));
    return {};
}

const char* options_kind(Verb verb) {
    if (verb == Verb::kCreate) return "CreateOptions";
    return verb == Verb::kUpdate ? "UpdateOptions" : "PatchOptions";
}

bool is_decoded(Verb verb) { return verb == Verb::kCreate || verb == Verb::kUpdate; }

Result<> read_write_head(const os::HttpRequest& request, Incoming& incoming) {
    Call& call = incoming.call;
    if (call.verb == Verb::kPatch) {
        TRY_ASSIGN(const PatchType type, patch_type(request.header("content-type")));
        // Merge keys and list kinds are known of declared types only; upstream answers the same for custom resources.
        if (type == PatchType::kStrategicMerge && call.kind().is_defined())
            return Error{Code::kUnsupportedMediaType,
                         "the body of the request was in an unknown format - accepted media types include: "
                         "application/json-patch+json, application/merge-patch+json"};
    } else {
        TRY_ASSIGN(incoming.encoding, body_encoding(request.header("content-type")));
        if (incoming.encoding == Encoding::kProtobuf && !has_protobuf(call.kind()))
            return Error{Code::kUnsupportedMediaType,
                         "the body of the request was in an unknown format - accepted media types include: "
                         "application/json, application/yaml"};
    }
    TRY_ASSIGN(call.write, parse_write_query(call.query, options_kind(call.verb)));
    return {};
}

Result<> read_head(const os::HttpRequest& request, Incoming& incoming) {
    Call& call = incoming.call;
    TRY_ASSIGN(call.verb, check_served(call.route));
    incoming.content_type = request.header("content-type");
    if (call.route.part && call.route.part->stream) return {};
    TRY(read_form(request, call));
    if (is_decoded(call.verb) || call.verb == Verb::kPatch) TRY(read_write_head(request, incoming));
    incoming.wants_body = is_decoded(call.verb) || call.verb == Verb::kPatch || call.verb == Verb::kDelete ||
                          call.verb == Verb::kDeleteCollection;
    return {};
}

Result<> read_body(Incoming& incoming, std::string_view bytes) {
    Call& call = incoming.call;
    if (is_decoded(call.verb)) {
        TRY_ASSIGN(call.body, decode_body(call.kind(), incoming.encoding, bytes, call.write.validation));
    } else if (call.verb == Verb::kPatch) {
        TRY_ASSIGN(PatchBody patch, read_patch_body(incoming.content_type, bytes, call.write.validation));
        call.patch = std::make_shared<const PatchBody>(std::move(patch));
    } else {
        TRY_ASSIGN(call.delete_options, decode_delete_options(incoming.content_type, bytes, call.query));
    }
    return {};
}

}  // namespace

Incoming read_resource_head(const os::HttpRequest& request, Target target, Route route) {
    Incoming incoming;
    incoming.target = std::move(target);
    incoming.call.route = std::move(route);
    incoming.call.query = incoming.target.query;
    Result<> read = os::attempt([&] { return read_head(request, incoming); });
    if (!read.ok()) incoming.problem = std::move(read).error();
    return incoming;
}

void read_resource_body(Incoming& incoming, std::string_view body) {
    incoming.wants_body = false;
    Result<> read = os::attempt([&] { return read_body(incoming, body); });
    if (!read.ok()) incoming.problem = std::move(read).error();
}

// YAML takes many times as long as the others.
bool is_long_body(const Incoming& incoming, std::size_t bytes) {
    constexpr std::size_t kShortMax = 64u << 10;
    constexpr std::size_t kShortYamlMax = 4u << 10;
    const bool is_yaml = lower(incoming.content_type).find("yaml") != std::string::npos;
    return bytes > (is_yaml ? kShortYamlMax : kShortMax);
}

}  // namespace muster::server
