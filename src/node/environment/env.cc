#include "node/environment/env.h"

#include <algorithm>

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

// Replaced values count, too: it is what is made that costs.
class EnvironmentMaker {
public:
    explicit EnvironmentMaker(const EnvironmentView& view) : budget_(view.limits) {}

    Result<void> set(const std::string& name, std::string_view value) {
        // The program would get only the part before the NUL byte.
        if (value.find('\0') != std::string_view::npos)
            return Error{Code::kInvalid,
                         WordTitle::variable(name).str() + " has a NUL byte, which cannot be passed to a program"};
        TRY(budget_.add(name.size() + 1 + value.size(), WordTitle::variable(name)));
        environment_[name] = value;
        return {};
    }
    // The bytes that the value of a variable may have.
    std::size_t value_max(const std::string& name) const {
        return budget_.word_max() - std::min(budget_.word_max(), name.size() + 1);
    }
    const Environment& so_far() const { return environment_; }
    Environment finish() { return std::move(environment_); }

private:
    ExecBudget budget_;
    Environment environment_;
};

Result<void> take_all(const EnvironmentView& view, EnvironmentMaker& into) {
    for (const auto& source : view.container.env_from) {
        const std::string prefix = source.prefix.str();
        if (source.config_map_ref) {
            const Text& name = source.config_map_ref->reference.name;
            const ConfigMap* map = find_object(view.referred.config_maps, name);
            if (!map && !is_optional(source.config_map_ref->optional)) return object_not_found("configmap", name);
            if (map)
                for (const auto& entry : map->data) TRY(into.set(prefix + entry.key.str(), entry.value.view()));
        } else if (source.secret_ref) {
            const Text& name = source.secret_ref->reference.name;
            const Secret* secret = find_object(view.referred.secrets, name);
            if (!secret && !is_optional(source.secret_ref->optional)) return object_not_found("secret", name);
            if (secret)
                for (const auto& entry : secret->data)
                    TRY(into.set(prefix + entry.key.str(), entry.value.bytes.view()));
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

Result<MaybeValue> value_of_variable(const EnvironmentView& view, const EnvVar& variable,
                                     const EnvironmentMaker& maker) {
    if (!variable.value.empty() || !variable.value_from) {
        const std::string name = variable.name.str();
        TRY_ASSIGN(std::string value,
                   expand(variable.value, maker.so_far(), maker.value_max(name), WordTitle::variable(name)));
        return MaybeValue(std::move(value));
    }
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

Result<Environment> make_environment(const EnvironmentView& view) {
    EnvironmentMaker maker(view);
    if (view.services)
        for (const auto& [name, value] : *view.services) TRY(maker.set(name, value));
    for (const auto& [name, value] : view.base) TRY(maker.set(name, value));
    TRY(take_all(view, maker));
    for (const EnvVar& variable : view.container.env) {
        TRY_ASSIGN(const MaybeValue value, value_of_variable(view, variable, maker));
        if (value) TRY(maker.set(variable.name.str(), *value));
    }
    return maker.finish();
}

Result<std::vector<std::string>> make_command(const Container& container, const Environment& environment,
                                              const os::ExecLimits& limits) {
    ExecBudget budget(limits);
    for (const auto& [name, value] : environment)
        TRY(budget.add(name.size() + 1 + value.size(), WordTitle::variable(name)));
    std::vector<std::string> words;
    const auto take = [&](const char* field, const List<Text>& list) -> Result<void> {
        std::size_t index = 0;
        for (const Text& word : list) {
            const WordTitle what = WordTitle::element(field, index++);
            TRY_ASSIGN(std::string expanded, expand(word, environment, budget.word_max(), what));
            TRY(budget.add(expanded.size(), what));
            words.push_back(std::move(expanded));
        }
        return {};
    };
    TRY(take("command", container.command));
    TRY(take("args", container.args));
    if (words.empty()) words.emplace_back();
    return words;
}

std::string missing_command_note(const Container& container) {
    if (!container.command.empty()) return {};
    const std::string image = "the entrypoint of image \"" + container.image.str() +
                              "\" is not known, since containers here run programs of this machine. Set command";
    if (container.args.empty())
        return "container " + container.name.str() + " has neither command nor args, and " + image;
    return "container " + container.name.str() + " has no command, so args[0] was taken for the program; " + image;
}

}  // namespace muster::node
