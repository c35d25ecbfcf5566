#include "controllers/scenario.h"

namespace muster::worlds {
namespace {

constexpr Duration kStepLimit = 3h;

// A call that happens twice makes a pod too many, and so does one whose pod is not seen in time.
int excess_of(const FaultPlan& faults) {
    return (faults.kind == FaultKind::kDuplicate ? 1 : 0) + static_cast<int>(faults.others.size());
}

bool is_at_rest(const World& world, const Scenario& scenario, bool any_end) {
    if (world.truth.tracked() != 0) return false;
    for (const auto& pod : world.truth.present_pods()) {
        if (pod->metadata.deletion_timestamp) return false;
        if (scenario.end == "gone" && !scenario.orphans) return false;
    }
    const bool may_end_otherwise = any_end && scenario.end != "gone";
    return may_end_otherwise ? world.is_finished() : world.end_of() == scenario.end;
}

// What users do to a Job that has ended changes nothing any more, but for its deletion.
std::size_t take_steps(World& world, const Scenario& scenario) {
    std::size_t taken = 0;
    for (const Step& step : scenario.steps) {
        const auto comes = [&] { return step.when(world) || world.is_finished(); };
        (void)world.run_until(comes, kStepLimit);
        const bool in_time = !world.is_finished();
        if (in_time || scenario.end == "gone") step.act(world);
        taken += in_time ? 1 : 0;
    }
    return taken;
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
    const int excess_allowed = excess_of(faults);
    const bool any_end = !faults.others.empty();
    World world(std::move(options), std::move(faults));
    world.truth.is_ignored = scenario.is_ignored;
    world.truth.excess_allowed = excess_allowed;

    Told told;
    const auto created = world.create_job(scenario.manifest);
    CHECK(created.ok(), created.ok() ? "" : format_error(created.error()));
    told.steps = take_steps(world, scenario);
    if (!world.run_until([&] { return is_at_rest(world, scenario, any_end); }, kStepLimit))
        told.broken.push_back("it does not come to rest at \"" + scenario.end + "\" but at \"" + world.end_of() +
                              "\" with " + std::to_string(world.truth.tracked()) + " finalizers");
    world.run_for(10s);
    if (told.broken.empty() && !is_at_rest(world, scenario, any_end)) told.broken.push_back("it does not stay at rest");
    if (told.broken.empty() && scenario.end != "gone") world.truth.check_counts("j");
    for (const std::string& broken : world.truth.broken()) told.broken.push_back(broken);
    if (!told.broken.empty()) told.story = world.truth.format_story("j");
    told.faults = world.faults;
    return told;
}

}  // namespace muster::worlds
