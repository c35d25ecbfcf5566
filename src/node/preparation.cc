#include "node/preparation.h"

#include "node/keeper.h"
#include "node/refusal.h"

namespace muster::node {

using api::core::ConfigMap;
using api::core::Container;
using api::core::Secret;
using client::ObjectName;

os::Task<Result<Referred>> Preparation::look_up(PodRef pod, References references) {
    Referred referred;
    for (const Text& name : references.config_maps) {
        const Result<client::Ref<ConfigMap>> found =
            co_await client_.get<ConfigMap>(ObjectName(pod->metadata.namespace_, name));
        if (!found.ok() && found.error().code != Code::kNotFound) co_return found.error();
        referred.config_maps[name] = found.ok() ? *found : nullptr;
    }
    for (const Text& name : references.secrets) {
        const Result<client::Ref<Secret>> found =
            co_await client_.get<Secret>(ObjectName(pod->metadata.namespace_, name));
        if (!found.ok() && found.error().code != Code::kNotFound) co_return found.error();
        referred.secrets[name] = found.ok() ? *found : nullptr;
    }
    co_return referred;
}

os::Task<Result<RunRequest>> Preparation::prepare(PodRef pod, StartStep step, NodeFacts facts, Text pod_ip) {
    const Container& container = *step.container;
    RunRequest request;
    request.key = {pod->metadata.uid, container.name, step.attempt};
    request.annotations = pod->metadata.annotations;
    if (options_.pretend) co_return request;
    CO_TRY(check_supported(*pod, container, options_.user_id));
    CO_TRY_ASSIGN(const Referred referred, co_await look_up(pod, environment_references(container)));
    Environment base = options_.base_environment;
    base["HOSTNAME"] = pod->spec.hostname.empty() ? pod->metadata.name.str() : pod->spec.hostname.str();
    const EnvironmentView view{*pod, container, facts, pod_ip, referred, base};
    CO_TRY_ASSIGN(const Environment environment, make_environment(view));
    CO_TRY_ASSIGN(request.command, make_command(container, environment));
    for (const auto& [variable, value] : environment) request.environment.push_back(variable + '=' + value);
    request.directory = container.working_dir.str();
    request.log_path = run_log(options_.directory, request.key);
    co_return request;
}

}  // namespace muster::node
