#include "sim/workloads/job_manifest.h"

#include "api/codec/decode.h"
#include "sim/world/machine.h"

namespace muster::sim {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

// How the pods of a Job end, and what the Job makes of it.
struct Temper {
    std::string run;   // for the machine
    std::string spec;  // of the Job
};

Temper draw_temper(bool indexed, std::int64_t completions, const std::string& policy, Prng& random) {
    const std::string span = "span=50ms.." + number(random.between(100, 3000)) + "ms ";
    if (policy == "none") return {span, ""};
    if (policy == "backoff")
        return {span + "fail=" + number(random.between(5, 40)), ", backoffLimit: " + number(random.between(0, 3))};
    if (policy == "per-index" && indexed) {
        std::string spec = ", backoffLimitPerIndex: " + number(random.between(0, 2));
        if (random.chance(1, 2)) spec += ", maxFailedIndexes: " + number(random.between(0, completions));
        return {span + "fail=30 bad_index=" + number(random.between(0, completions - 1)), spec};
    }
    if (policy == "fail-index" && indexed)
        return {span + "fail=25 codes=1|42|9",
                ", backoffLimitPerIndex: 2, podFailurePolicy: {rules: [{action: "
                "FailIndex, onExitCodes: {operator: In, values: [42]}}, {action: "
                "Ignore, onExitCodes: {operator: In, values: [9]}}]}"};
    if (policy == "success" && indexed)
        return {span + "fail=10", ", backoffLimit: 4, successPolicy: {rules: [{succeededIndexes: \"0-" +
                                      number(completions / 2) + "\", succeededCount: 1}]}"};
    if (policy == "deadline") return {span + "stubborn=20", ", activeDeadlineSeconds: " + number(random.between(1, 6))};
    // fail-job, and what does not fit the mode
    return {span + "fail=20 codes=1|42|9",
            ", backoffLimit: 4, podFailurePolicy: {rules: [{action: FailJob, "
            "onExitCodes: {operator: In, values: [42]}}, {action: Ignore, onExitCodes: "
            "{operator: In, values: [9]}}, {action: Ignore, onPodConditions: [{type: "
            "DisruptionTarget, status: \"True\"}]}]}"};
}

}  // namespace

api::batch::Job draw_job(const std::string& name, const Settings& base, Prng& random) {
    const std::string mode = base.text("mode", random.chance(1, 2) ? "indexed" : "plain");
    const bool indexed = mode == "indexed";
    const std::int64_t completions = random.between(1, base.number("completions", 8));
    const std::int64_t parallelism = random.between(1, base.number("parallelism", 5));
    static constexpr const char* kPolicies[] = {"none",       "none",    "backoff",  "per-index",
                                                "fail-index", "success", "deadline", "fail-job"};
    const std::string drawn = kPolicies[random.below(std::size(kPolicies))];
    const Temper temper = draw_temper(indexed, completions, base.text("policy", drawn), random);
    std::string spec = "parallelism: " + number(parallelism) + temper.spec;
    if (mode != "queue") spec += ", completions: " + number(completions);
    if (indexed) spec += ", completionMode: Indexed";
    const bool needs_never = temper.spec.find("podFailurePolicy") != std::string::npos ||
                             temper.spec.find("backoffLimitPerIndex") != std::string::npos;
    const bool on_failure = random.chance(1, 5) && !needs_never;
    if (random.chance(static_cast<std::uint64_t>(base.number("suspended", 10)), 100)) spec += ", suspend: true";
    if (random.chance(static_cast<std::uint64_t>(base.number("ttl", 20)), 100))
        spec += ", ttlSecondsAfterFinished: " + number(random.between(0, 20));
    if (random.chance(1, 4) && temper.spec.find("podFailurePolicy") == std::string::npos)
        spec += ", podReplacementPolicy: Failed";
    const std::string text =
        "metadata: {name: " + name + ", namespace: default}\nspec: {" + spec +
        ", template: {metadata: {annotations: {" + kRunAnnotation + ": \"" + temper.run +
        "\"}}, spec: {restartPolicy: " + (on_failure ? "OnFailure" : "Never") +
        ", terminationGracePeriodSeconds: " + number(random.between(0, 3)) +
        ", containers: [{name: c, image: i, resources: {requests: {cpu: " + number(random.between(50, 900)) +
        "m}}}]}}}\n";
    return api::from_yaml<api::batch::Job>(text).value();
}

}  // namespace muster::sim
