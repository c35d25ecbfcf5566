#include "node/env.h"

namespace muster::node {
namespace {

using api::core::ConfigMap;
using api::core::Container;
using api::core::EnvVar;
using api::core::Secret;

bool is_optional(const std::optional<bool>& optional) { return optional.value_or(false); }

Error object_not_found(const char* kind, const Text& name) {
    return {Code::kNotFound, std::string(kind) + " \"" + name.str() + "\" not found"};
}
Error key_not_found(const char* kind, const EnvironmentView& view, const Text& name, const Text& key) {
    return {Code::kNotFound, "couldn't find key " + key.str() + " in " + kind + ' ' +
                                 view.pod.metadata.namespace_.str() + '/' + name.str()};
}

template <class K>
const K* find_object(const std::map<Text, std::shared_ptr<const K>>& objects, const Text& name) {
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second.get();
}

Result<void> take_all(const EnvironmentView& view, Environment& into) {
    for (const auto& source : view.container.env_from) {
        const std::string prefix = source.prefix.str();
        if (source.config_map_ref) {
            const Text& name = source.config_map_ref->reference.name;
            const ConfigMap* map = find_object(view.referred.config_maps, name);
            if (!map && !is_optional(source.config_map_ref->optional)) return object_not_found("configmap", name);
            if (map)
                for (const auto& entry : map->data) into[prefix + entry.key.str()] = entry.value.str();
        } else if (source.secret_ref) {
            const Text& name = source.secret_ref->reference.name;
            const Secret* secret = find_object(view.referred.secrets, name);
            if (!secret && !is_optional(source.secret_ref->optional)) return object_not_found("secret", name);
            if (secret)
                for (const auto& entry : secret->data) into[prefix + entry.key.str()] = entry.value.bytes.str();
        }
    }
    return {};
}

using MaybeValue = std::optional<std::string>;  // nothing: the variable is left out

Result<MaybeValue> config_map_value(const EnvironmentView& view, const api::core::ConfigMapKeySelector& selector) {
    const ConfigMap* map = find_object(view.referred.config_maps, selector.reference.name);
    const bool optional = is_optional(selector.optional);
    if (!map) {
        if (optional) return MaybeValue();
        return object_not_found("configmap", selector.reference.name);
    }
    if (const Text* value = map->data.find(selector.key)) return MaybeValue(value->str());
    if (optional) return MaybeValue();
    return key_not_found("ConfigMap", view, selector.reference.name, selector.key);
}

Result<MaybeValue> secret_value(const EnvironmentView& view, const api::core::SecretKeySelector& selector) {
    const Secret* secret = find_object(view.referred.secrets, selector.reference.name);
    const bool optional = is_optional(selector.optional);
    if (!secret) {
        if (optional) return MaybeValue();
        return object_not_found("secret", selector.reference.name);
    }
    if (const auto* value = secret->data.find(selector.key)) return MaybeValue(value->bytes.str());
    if (optional) return MaybeValue();
    return key_not_found("Secret", view, selector.reference.name, selector.key);
}

Result<MaybeValue> value_of_variable(const EnvironmentView& view, const EnvVar& variable, const Environment& so_far) {
    if (!variable.value.empty() || !variable.value_from) return MaybeValue(expand(variable.value, so_far));
    const api::core::EnvVarSource& source = *variable.value_from;
    if (source.field_ref) {
        TRY_ASSIGN(std::string value, pod_field(view.pod, view.facts, view.pod_ip, source.field_ref->field_path));
        return MaybeValue(std::move(value));
    }
    if (source.resource_field_ref) {
        TRY_ASSIGN(std::string value, resource_field(view.pod, view.container, view.facts, *source.resource_field_ref));
        return MaybeValue(std::move(value));
    }
    if (source.config_map_key_ref) return config_map_value(view, *source.config_map_key_ref);
    if (source.secret_key_ref) return secret_value(view, *source.secret_key_ref);
    return Error{Code::kBadRequest, "the source of environment variable " + variable.name.str() + " is not supported"};
}

}  // namespace

References environment_references(const Container& container) {
    References references;
    for (const auto& source : container.env_from) {
        if (source.config_map_ref) references.config_maps.push_back(source.config_map_ref->reference.name);
        if (source.secret_ref) references.secrets.push_back(source.secret_ref->reference.name);
    }
    for (const EnvVar& variable : container.env) {
        if (!variable.value_from) continue;
        const auto& map = variable.value_from->config_map_key_ref;
        const auto& secret = variable.value_from->secret_key_ref;
        if (map) references.config_maps.push_back(map->reference.name);
        if (secret) references.secrets.push_back(secret->reference.name);
    }
    return references;
}

std::string expand(std::string_view text, const Environment& environment) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (text[at] != '$' || at + 1 == text.size()) {
            out += text[at++];
            continue;
        }
        const std::size_t close = next == '(' ? text.find(')', at) : std::string_view::npos;
        if (close == std::string_view::npos) {
            // An escaped dollar, or one that begins nothing.
            if (next != '$') out += '$';
            out += next;
            at += 2;
            continue;
        }
        const auto found = environment.find(std::string(text.substr(at + 2, close - at - 2)));
        out += found != environment.end() ? std::string_view(found->second) : text.substr(at, close - at + 1);
        at = close + 1;
    }
    return out;
}

Result<Environment> make_environment(const EnvironmentView& view) {
    Environment environment = view.base;
    TRY(take_all(view, environment));
    for (const EnvVar& variable : view.container.env) {
        TRY_ASSIGN(const MaybeValue value, value_of_variable(view, variable, environment));
        if (value) environment[variable.name.str()] = *value;
    }
    return environment;
}

Result<std::vector<std::string>> make_command(const Container& container, const Environment& environment) {
    if (container.command.empty())
        return Error{Code::kInvalid, "container " + container.name.str() +
                                         " has no command: a pod here runs as processes of this machine, and the "
                                         "entrypoint of image \"" +
                                         container.image.str() + "\" is not known. Set command"};
    std::vector<std::string> words;
    for (const Text& word : container.command) words.push_back(expand(word, environment));
    for (const Text& word : container.args) words.push_back(expand(word, environment));
    return words;
}

}  // namespace muster::node
