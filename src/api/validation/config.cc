#include "api/validation/config.h"

#include "api/codec/dom.h"
#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using core::ConfigMap;
using core::Secret;

constexpr const char* kFrozenSentence = "field is immutable when `immutable` is set";

std::size_t size_of(const Text& value) { return value.size(); }
std::size_t size_of(const Bytes& value) { return value.bytes.size(); }

// The bytes of all values.
template <class V>
std::size_t check_keys(const Map<V>& data, const FieldPath& path, FieldErrors& errors) {
    std::size_t bytes = 0;
    for (const auto& [key, value] : data) {
        errors.add_problems(path.key(key), key, is_config_map_key(key));
        bytes += size_of(value);
    }
    return bytes;
}

void check_config_map(const ConfigMap& map, FieldErrors& errors) {
    check_metadata(map.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    const FieldPath data("data");
    std::size_t bytes = check_keys(map.data, data, errors);
    for (const auto& [key, value] : map.data)
        if (map.binary_data.contains(key))
            errors.add_invalid(data.key(key), key, "duplicate of key present in binaryData");
    bytes += check_keys(map.binary_data, FieldPath("binaryData"), errors);
    if (bytes > kConfigBytesMax) errors.add_too_long(FieldPath(""), kConfigBytesMax);
}

void check_json_key(const Secret& secret, std::string_view key, FieldErrors& errors) {
    const FieldPath path = FieldPath("data").key(key);
    const Bytes* value = secret.data.find(key);
    if (!value) {
        errors.add_required(path, "");
    } else if (const auto parsed = parse_dom(value->bytes); !parsed.ok() || !parsed->is_object()) {
        // What is in a secret is in no message either.
        errors.add_invalid(path, "<secret contents redacted>", "must be a JSON object");
    }
}

void check_needs(const Secret& secret, std::initializer_list<const char*> keys, FieldErrors& errors) {
    for (const char* key : keys)
        if (!secret.data.contains(key)) errors.add_required(FieldPath("data").key(key), "");
}

void check_type(const Secret& secret, FieldErrors& errors) {
    const Text& type = secret.type;
    if (type == "kubernetes.io/service-account-token") {
        constexpr const char* kAccountAnnotation = "kubernetes.io/service-account.name";
        const Text* account = secret.metadata.annotations.find(kAccountAnnotation);
        if (!account || account->empty())
            errors.add_required(kMetadata.child("annotations").key(kAccountAnnotation), "");
    } else if (type == "kubernetes.io/dockercfg") {
        check_json_key(secret, ".dockercfg", errors);
    } else if (type == "kubernetes.io/dockerconfigjson") {
        check_json_key(secret, ".dockerconfigjson", errors);
    } else if (type == "kubernetes.io/basic-auth") {
        if (!secret.data.contains("username") && !secret.data.contains("password"))
            check_needs(secret, {"username", "password"}, errors);
    } else if (type == "kubernetes.io/ssh-auth") {
        const Bytes* key = secret.data.find("ssh-privatekey");
        if (!key || key->bytes.empty()) errors.add_required(FieldPath("data").key("ssh-privatekey"), "");
    } else if (type == "kubernetes.io/tls") {
        check_needs(secret, {"tls.crt", "tls.key"}, errors);
    }
}

void check_secret(const Secret& secret, FieldErrors& errors) {
    check_metadata(secret.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    const FieldPath data("data");
    if (check_keys(secret.data, data, errors) > kConfigBytesMax) errors.add_too_long(data, kConfigBytesMax);
    check_type(secret, errors);
}

// False when the object may change.
template <class K>
bool check_frozen(const K& now, const K& before, FieldErrors& errors) {
    if (!before.immutable.value_or(false)) return false;
    if (!now.immutable.value_or(false)) errors.add_forbidden(FieldPath("immutable"), kFrozenSentence);
    if (!(now.data == before.data)) errors.add_forbidden(FieldPath("data"), kFrozenSentence);
    return true;
}

}  // namespace

FieldErrors validate_config_map_create(const ConfigMap& map) {
    FieldErrors errors;
    check_config_map(map, errors);
    return errors;
}

FieldErrors validate_config_map_update(const ConfigMap& now, const ConfigMap& before) {
    FieldErrors errors;
    if (check_frozen(now, before, errors) && !(now.binary_data == before.binary_data))
        errors.add_forbidden(FieldPath("binaryData"), kFrozenSentence);
    check_config_map(now, errors);
    return errors;
}

FieldErrors validate_secret_create(const Secret& secret) {
    FieldErrors errors;
    check_secret(secret, errors);
    return errors;
}

FieldErrors validate_secret_update(const Secret& now, const Secret& before) {
    FieldErrors errors;
    check_immutable(now.type, before.type, FieldPath("type"), errors);
    check_frozen(now, before, errors);
    check_secret(now, errors);
    return errors;
}

}  // namespace muster::api
