#include "server/rest/incoming.h"

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

Result<> read_form(const os::HttpRequest& request, Call& call) {
    if (call.verb == Verb::kWatch) {
        TRY_ASSIGN(call.as.form, negotiate_stream(request.header("accept")));
    } else {
        TRY_ASSIGN(call.as.form, negotiate_answer(request.header("accept"), call.query, request.header("user-agent")));
    }
    TRY(keep_to_text(request.header("accept"), call));
    TRY_ASSIGN(call.as.include, parse_include_object(call.query.get("includeObject")));
    return {};
}

const char* options_kind(Verb verb) {
    if (verb == Verb::kCreate) return "CreateOptions";
    return verb == Verb::kUpdate ? "UpdateOptions" : "PatchOptions";
}

Result<> read_write(os::HttpRequest& request, Call& call) {
    if (call.verb == Verb::kPatch) {
        TRY(patch_type(request.header("content-type")));
        TRY_ASSIGN(call.write, parse_write_query(call.query, options_kind(call.verb)));
        return {};
    }
    TRY_ASSIGN(const Encoding encoding, body_encoding(request.header("content-type")));
    if (encoding == Encoding::kProtobuf && !has_protobuf(call.kind()))
        return Error{Code::kUnsupportedMediaType,
                     "the body of the request was in an unknown format - accepted media types include: "
                     "application/json, application/yaml"};
    TRY_ASSIGN(call.write, parse_write_query(call.query, options_kind(call.verb)));
    TRY_ASSIGN(Body body, decode_body(call.kind(), encoding, request.body, call.write.validation));
    call.body = std::move(body);
    return {};
}

Result<> read_call(os::HttpRequest& request, Call& call) {
    TRY_ASSIGN(call.verb, check_served(call.route));
    if (!(call.route.part && call.route.part->stream)) TRY(read_form(request, call));
    call.content_type = request.header("content-type");
    const bool writes = call.verb == Verb::kCreate || call.verb == Verb::kUpdate || call.verb == Verb::kPatch;
    const bool streams = call.route.part && call.route.part->stream;
    if (writes && !streams) TRY(read_write(request, call));
    if (call.verb == Verb::kPatch || call.verb == Verb::kDelete || call.verb == Verb::kDeleteCollection)
        call.raw_body = std::move(request.body);
    return {};
}

}  // namespace

Incoming read_resource_request(os::HttpRequest& request, Target target, Route route) {
    Incoming incoming;
    incoming.target = std::move(target);
    incoming.call.route = std::move(route);
    incoming.call.query = incoming.target.query;
    Result<> read = read_call(request, incoming.call);
    if (!read.ok()) incoming.problem = std::move(read).error();
    return incoming;
}

}  // namespace muster::server
