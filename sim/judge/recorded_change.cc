#include "sim/judge/recorded_change.h"

#include <boost/json.hpp>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"

namespace muster::sim {
namespace {

namespace json = boost::json;

constexpr std::string_view kRegistry = "/registry/";

Error bad_change(const std::string& why) { return {Code::kBadRequest, "no change of a history: " + why}; }

const api::KindInfo* judged_kind(std::string_view resource) {
    if (resource == "pods") return &api::kind_info<api::core::Pod>();
    if (resource == "jobs") return &api::kind_info<api::batch::Job>();
    return nullptr;
}

struct RegistryKey {
    std::string_view resource;
    std::string_view namespace_;
    std::string_view name;
};

std::optional<RegistryKey> split_key(std::string_view key) {
    if (!key.starts_with(kRegistry)) return std::nullopt;
    key.remove_prefix(kRegistry.size());
    const std::size_t first = key.find('/');
    const std::size_t second = first == std::string_view::npos ? first : key.find('/', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    return RegistryKey{key.substr(0, first), key.substr(first + 1, second - first - 1), key.substr(second + 1)};
}

// etcd's copy has no version of its own: the revision is the version.
Result<server::KindObjectPtr> read_object(const api::KindInfo& kind, const json::value& object,
                                          store::Revision revision) {
    const std::shared_ptr<server::KindObject> made = server::make_object(kind);
    TRY(api::decode_json(kind.type(), made->data(), json::serialize(object)));
    made->stamp(revision);
    return server::KindObjectPtr(made);
}

}  // namespace

Result<std::optional<RecordedChange>> read_recorded_change(std::string_view line) {
    boost::system::error_code failed;
    const json::value document = json::parse({line.data(), line.size()}, failed);
    if (failed || !document.is_object()) return bad_change("it is no JSON object");
    const json::value* revision = document.as_object().if_contains("revision");
    const json::value* key = document.as_object().if_contains("key");
    const json::value* object = document.as_object().if_contains("object");
    if (!revision || !revision->is_int64() || revision->as_int64() <= 0) return bad_change("it has no revision");
    if (!key || !key->is_string()) return bad_change("it has no key");
    const json::string& text = key->as_string();
    const std::optional<RegistryKey> parts = split_key({text.data(), text.size()});
    const api::KindInfo* kind = parts ? judged_kind(parts->resource) : nullptr;
    if (!kind) return std::optional<RecordedChange>();
    RecordedChange change{kind, server::object_key(*kind, parts->namespace_, parts->name),
                          static_cast<store::Revision>(revision->as_int64()), nullptr};
    if (object && !object->is_null()) {
        TRY_ASSIGN(change.object, read_object(*kind, *object, change.revision));
    }
    return std::optional<RecordedChange>(std::move(change));
}

}  // namespace muster::sim
