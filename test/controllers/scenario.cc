#include "controllers/scenario.h"

namespace muster::worlds {
namespace {

constexpr Duration kStepLimit = 3h;

// A fault may cost the node or the controller an answer that made a pod.
int excess_of(FaultKind kind) { return kind == FaultKind::kDuplicate ? 1 : 0; }

bool is_at_rest(const World& world, const Scenario& scenario) {
    if (world.truth.tracked() != 0) return false;
    for (const auto& pod : world.truth.present_pods()) {
        if (pod->metadata.deletion_timestamp) return false;
        if (scenario.end == "gone" && !scenario.orphans) return false;
    }
    return world.end_of() == scenario.end;
}

}  // namespace

std::string job_manifest(std::string_view spec, std::string_view pod_spec, std::string_view name) {
    std::string text = "metadata: {name: " + std::string(name) + ", namespace: default}\nspec: {";
    text.append(spec).append(spec.empty() ? "" : ", ").append("template: {spec: {nodeName: node-1, ").append(pod_spec);
    return text + ", containers: [{name: c, image: i}]}}}\n";
}

Told play(const Scenario& scenario, FaultPlan faults) {
    WorldOptions options;
    options.node.script = scenario.script;
    scenario.tune(options);
    const FaultKind kind = faults.kind;
    World world(std::move(options), std::move(faults));
    world.truth.is_ignored = scenario.is_ignored;
    world.truth.excess_allowed = excess_of(kind);

    Told told;
    const auto created = world.create_job(scenario.manifest);
    CHECK(created.ok(), created.ok() ? "" : format_error(created.error()));
    std::size_t at = 0;
    for (const Step& step : scenario.steps) {
        if (!world.run_until([&] { return step.when(world); }, kStepLimit)) {
            told.broken.push_back("step " + std::to_string(at) + " never comes");
            break;
        }
        step.act(world);
        ++at;
    }
    if (told.broken.empty() && !world.run_until([&] { return is_at_rest(world, scenario); }, kStepLimit))
        told.broken.push_back("it does not come to rest at \"" + scenario.end + "\" but at \"" + world.end_of() +
                              "\" with " + std::to_string(world.truth.tracked()) + " finalizers");
    world.run_for(10s);
    if (told.broken.empty() && !is_at_rest(world, scenario)) told.broken.push_back("it does not stay at rest");
    if (told.broken.empty() && scenario.end != "gone") world.truth.check_counts("j");
    for (const std::string& broken : world.truth.broken()) told.broken.push_back(broken);
    if (!told.broken.empty()) told.story = world.truth.format_story("j");
    told.faults = world.faults;
    return told;
}

}  // namespace muster::worlds
