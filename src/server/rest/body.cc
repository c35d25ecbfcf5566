#include "server/rest/body.h"

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/envelope.h"
#include "api/kinds/all.h"

namespace muster::server {
namespace {

using api::Decoded;
using api::KindInfo;

std::string_view version_of(std::string_view api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

std::string_view group_of(std::string_view api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

Error unreadable(std::string_view sent_kind, std::string_view sent_version, const KindInfo& kind,
                 const std::string& why) {
    return {Code::kBadRequest, std::string(sent_kind.empty() ? kind.kind : sent_kind) + " in version \"" +
                                   std::string(version_of(sent_version.empty() ? kind.version : sent_version)) +
                                   "\" cannot be handled as a " + kind.kind + ": " + why};
}

// A body's first bytes: as they are when it looks like JSON, else in hex, as they could be anything.
std::string beginning_of(std::string_view bytes) {
    constexpr std::size_t kShownMax = 30;
    if (bytes.empty()) return "<empty>";
    const std::string_view begin = bytes.substr(0, kShownMax);
    std::string shown;
    if (begin.front() == '{') {
        shown = begin;
    } else {
        constexpr const char* kDigits = "0123456789abcdef";
        for (const char c : begin) {
            shown += kDigits[static_cast<unsigned char>(c) >> 4];
            shown += kDigits[static_cast<unsigned char>(c) & 15];
        }
    }
    return bytes.size() > kShownMax ? shown + " ..." : shown;
}

// A body that is no document at all. The answer repeats its beginning, unless that may be a secret: others may see it.
Error unrecognized(const KindInfo& kind, std::string_view bytes, const std::string& why) {
    constexpr std::string_view kPrefix = "json parse error: ";
    const std::string reason = why.starts_with(kPrefix) ? why : std::string(kPrefix) + why;
    return {Code::kBadRequest, "the object provided is unrecognized (must be of type " + std::string(kind.kind) +
                                   "): couldn't get version/kind; " + reason +
                                   (kind.options.secret ? std::string() : " (" + beginning_of(bytes) + ")")};
}

Result<Decoded> decode_text(const KindInfo& kind, Encoding encoding, std::string_view bytes, void* object) {
    Result<Decoded> decoded = encoding == Encoding::kYaml ? api::decode_yaml(kind.type(), object, bytes)
                                                          : api::decode_json(kind.type(), object, bytes);
    if (decoded.ok() || decoded.error().code == Code::kTooLarge) return decoded;
    if (encoding == Encoding::kJson)
        if (const auto document = api::parse_dom(bytes); !document.ok() || !document->is_object())
            return unrecognized(kind, bytes, decoded.error().message);
    return unreadable("", "", kind, decoded.error().message);
}

Result<Decoded> decode_any(const KindInfo& kind, Encoding encoding, std::string_view bytes, void* object) {
    if (encoding != Encoding::kProtobuf) return decode_text(kind, encoding, bytes, object);
    TRY_ASSIGN(const api::Envelope envelope, api::open_envelope(bytes));
    Decoded decoded;
    decoded.api_version = envelope.api_version;
    decoded.kind = envelope.kind;
    // The bytes mean nothing if they are of another type.
    TRY(check_sent_kind(kind, decoded.api_version, decoded.kind));
    if (const auto read = api::decode_protobuf(kind.type(), object, envelope.raw); !read.ok())
        return read.error().code == Code::kTooLarge ? read.error() : unreadable("", "", kind, read.error().message);
    return decoded;
}

}  // namespace

Result<> check_sent_kind(const KindInfo& kind, std::string_view api_version, std::string_view sent_kind) {
    if (sent_kind.empty() && api_version.empty()) return {};
    const bool same_kind = sent_kind.empty() || sent_kind == kind.kind;
    const bool same_version = api_version.empty() || api_version == kind.api_version();
    if (same_kind && same_version) return {};
    const std::string_view group = group_of(api_version);
    const std::string_view version = version_of(api_version);
    const KindInfo* sent = api::find_kind(group, version, sent_kind);
    if (!sent)
        return Error{Code::kBadRequest, "no kind \"" + std::string(sent_kind) + "\" is registered for version \"" +
                                            std::string(api_version) + "\""};
    if (!same_kind)
        return unreadable(sent_kind, api_version, kind,
                          "converting (" + std::string(version) + "." + std::string(sent_kind) + ") to (" +
                              (*kind.group ? kind.group : "core") + "." + kind.kind + "): unknown conversion");
    return Error{Code::kBadRequest, "the API version in the data (" + std::string(api_version) +
                                        ") does not match the expected API version (" + kind.api_version() + ")"};
}

Result<Body> decode_body(const KindInfo& kind, Encoding encoding, std::string_view bytes, FieldValidation validation) {
    Body body;
    body.object = make_object(kind);
    TRY_ASSIGN(Decoded decoded, decode_any(kind, encoding, bytes, body.object->data()));
    TRY(check_sent_kind(kind, decoded.api_version, decoded.kind));
    if (validation == FieldValidation::kStrict)
        if (const auto strict = check_strict(decoded); !strict.ok())
            return unreadable("", "", kind, strict.error().message);
    if (validation == FieldValidation::kWarn) body.warnings = std::move(decoded.complaints);
    return body;
}

Result<api::meta::DeleteOptions> decode_delete_options(std::string_view content_type, std::string_view bytes,
                                                       const Query& query) {
    api::meta::DeleteOptions options;
    if (!bytes.empty()) {
        TRY_ASSIGN(const Encoding encoding, body_encoding(content_type));
        const KindInfo& kind = api::kind_info<api::meta::DeleteOptions>();
        // Clients write its version as the core group's, as meta's, or as that of the deleted kind.
        if (encoding == Encoding::kProtobuf) {
            TRY_ASSIGN(const api::Envelope envelope, api::open_envelope(bytes));
            TRY(api::decode_protobuf(kind.type(), &options, envelope.raw));
        } else {
            TRY(decode_text(kind, encoding, bytes, &options));
        }
    } else {
        TRY_ASSIGN(options.grace_period_seconds, query.integer("gracePeriodSeconds"));
        if (query.has("propagationPolicy")) options.propagation_policy = Text(query.get("propagationPolicy"));
        options.orphan_dependents = query.flag("orphanDependents");
        options.ignore_store_read_error_with_cluster_breaking_potential =
            query.flag("ignoreStoreReadErrorWithClusterBreakingPotential");
    }
    if (options.dry_run.empty())
        for (const std::string& value : query.all("dryRun")) options.dry_run.edit().push_back(value);
    return options;
}

}  // namespace muster::server
