// The life of a Job as a test tells it: its manifest, how its pods end, and what users do to it when.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "controllers/world.h"

namespace muster::worlds {

struct Step {
    std::function<bool(const World&)> when;
    std::function<void(World&)> act;
};

struct Scenario {
    std::string name;  // a sentence in CamelCase
    std::string manifest;
    Script script = [](const PodRun&) { return succeed(); };
    std::vector<Step> steps{};
    std::string end = "Complete: CompletionsReached";  // or "gone"
    std::function<bool(const PodTruth&)> is_ignored = [](const PodTruth&) { return false; };
    std::function<void(WorldOptions&)> tune = [](WorldOptions&) {};
    // Whether pods stay when the Job goes.
    bool orphans = false;
};

inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

// Both completion modes, every way to end, and everything that users do in the middle.
std::vector<Scenario> all_scenarios();

// A Job "j" whose pods are on a node. `spec` is in YAML's flow style, without braces; so is `pod_spec`.
std::string job_manifest(std::string_view spec, std::string_view pod_spec = "restartPolicy: Never",
                         std::string_view name = "j");

struct Told {
    std::vector<std::string> broken;  // empty: all is well
    std::size_t steps = 0;            // that were taken before the Job had ended
    std::string story;
    FaultPlan faults;
};
// With one fault at most, the Job comes to the end that it should; with several it may come to another, but the numbers
// are the truth either way.
Told play(const Scenario& scenario, FaultPlan faults);

}  // namespace muster::worlds
