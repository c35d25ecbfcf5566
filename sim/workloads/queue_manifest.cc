#include "sim/workloads/queue_manifest.h"

#include "api/codec/decode.h"
#include "sim/workloads/job_manifest.h"
#include "sim/world/machine.h"

namespace muster::sim {
namespace {

constexpr int kOddRequest = 150;  // more than the others of its group

std::string flavor_text(const std::string& name, int milli_cpus, const std::string& limits) {
    return "{name: " + name + ", resources: [{name: cpu, nominalQuota: " + std::to_string(milli_cpus) + "m" + limits +
           "}]}";
}

// `states`: "requests" or "limits", which the server takes for requests.
std::string pod_text(const std::string& name, const std::string& labels, const std::string& annotations,
                     const std::string& states, int request, int fails, Prng& random) {
    return "metadata: {name: " + name + ", namespace: default, labels: {" + labels + "}, annotations: {" +
           std::string(kRunAnnotation) + ": \"span=50ms.." + std::to_string(random.between(200, 4000)) +
           "ms fail=" + std::to_string(fails) + " stubborn=10\"" + annotations + "}}\nspec: {restartPolicy: Never, " +
           "terminationGracePeriodSeconds: " + std::to_string(random.between(0, 3)) +
           ", containers: [{name: c, image: i, resources: {" + states + ": {cpu: " + std::to_string(request) +
           "m}}}]}\n";
}

std::string stated(bool limits) { return limits ? "limits" : "requests"; }

// The number that follows in the text; -1 when that is not in it.
int number_after(std::string_view text, std::string_view what) {
    const std::size_t at = text.find(what);
    return at == std::string_view::npos ? -1 : std::stoi(std::string(text.substr(at + what.size())));
}

std::string draw_priority(Prng& random) {
    static constexpr const char* kPriorities[] = {"", "", "low", "high"};
    return kPriorities[random.below(std::size(kPriorities))];
}

std::string queue_labels(const std::string& queue, const std::string& priority) {
    std::string labels = "kueue.x-k8s.io/queue-name: " + queue;
    if (!priority.empty()) labels += ", kueue.x-k8s.io/priority-class: " + priority;
    return labels;
}

std::string draw_queue_name(Prng& random) { return kQueueNames[random.below(std::size(kQueueNames))]; }
int draw_request(Prng& random) { return static_cast<int>(random.between(50, kRequestMax)); }

}  // namespace

api::kueue::ClusterQueue draw_queue(const std::string& name, Prng& random) {
    const int quota = static_cast<int>(random.between(kQuotaLeast, kQuotaEnough));
    std::string spec;
    std::string flavors;
    if (name == "a") {
        spec = "cohortName: co, queueingStrategy: StrictFIFO, preemption: {withinClusterQueue: LowerPriority}";
        flavors = flavor_text("f0", quota, ", borrowingLimit: 300m");
    } else if (name == "b") {
        spec = "cohortName: co, preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}";
        flavors = flavor_text("f0", quota, ", lendingLimit: 300m");
    } else {
        spec = "preemption: {withinClusterQueue: LowerOrNewerEqualPriority}";
        flavors = flavor_text("f0", quota, "") + ", " + flavor_text("f1", quota, "");
    }
    return api::from_yaml<api::kueue::ClusterQueue>("metadata: {name: " + name + "}\nspec: {" + spec +
                                                    ", namespaceSelector: {}, resourceGroups: [{coveredResources: "
                                                    "[cpu], flavors: [" +
                                                    flavors + "]}]}\n")
        .value();
}

void set_quota(api::kueue::ClusterQueue& queue, int milli_cpus) {
    for (auto& group : queue.spec.resource_groups.edit())
        for (auto& flavor : group.flavors.edit())
            for (auto& resource : flavor.resources.edit())
                resource.nominal_quota = api::Quantity::parse(std::to_string(milli_cpus) + "m").value();
}

api::batch::Job draw_queued_job(const std::string& name, const Settings& settings, Prng& random) {
    api::batch::Job job = draw_job(name, settings, random);
    const std::string priority = draw_priority(random);
    job.metadata.labels.set("kueue.x-k8s.io/queue-name", draw_queue_name(random));
    if (!priority.empty()) job.metadata.labels.set("kueue.x-k8s.io/priority-class", priority);
    job.spec.parallelism = std::min(job.spec.parallelism.value_or(1), 3);
    if (*job.spec.parallelism > 1 && random.chance(1, 4))
        job.metadata.annotations.set("kueue.x-k8s.io/job-min-parallelism", "1");
    job.spec.template_.spec.containers.edit()[0].resources.requests.set(
        "cpu", api::Quantity::parse(std::to_string(draw_request(random)) + "m").value());
    return job;
}

api::core::Pod draw_queued_pod(const std::string& name, Prng& random) {
    const bool too_large = random.chance(1, 12);
    const std::string queue = too_large ? "c" : draw_queue_name(random);
    const int request = too_large ? 10 * kQuotaEnough : draw_request(random);
    const std::string labels = queue_labels(queue, draw_priority(random));
    return api::from_yaml<api::core::Pod>(pod_text(name, labels, "", stated(false), request, 20, random)).value();
}

DrawnGroup draw_group(const std::string& name, bool driven, Prng& random) {
    DrawnGroup group;
    group.name = name;
    group.queue = draw_queue_name(random);
    group.priority = draw_priority(random);
    group.size = static_cast<int>(random.between(2, 3));
    group.request = draw_request(random);
    group.driven = driven;
    group.retriable = random.chance(3, 4);
    group.mixed = false;
    group.fast = !driven && random.chance(1, 4);
    group.serving = random.chance(1, 8);
    group.limits = driven && random.chance(1, 2);
    return group;
}

std::string odd_name(const std::string& name) { return name + "-odd"; }
bool is_odd(const api::core::Pod& pod) { return pod.metadata.name.view().ends_with("-odd"); }

api::core::Pod draw_member(const DrawnGroup& group, const std::string& name, bool driver, bool odd, int fails,
                           Prng& random) {
    std::string labels = queue_labels(group.queue, group.priority) + ", kueue.x-k8s.io/pod-group-name: " + group.name;
    std::string annotations;
    int request = group.request + (odd ? kOddRequest : 0);
    if (group.mixed) annotations = ", kueue.x-k8s.io/role-hash: \"same\"";
    if (!group.driven) {
        annotations += ", kueue.x-k8s.io/pod-group-total-count: \"" + std::to_string(group.size) + "\"";
        if (!group.retriable) annotations += ", kueue.x-k8s.io/retriable-in-group: \"false\"";
    } else if (driver) {
        request = kDriverRequest;
        annotations += ", " + std::string(kSetsAnnotation) + ": '" +
                       format_sets({group.size - 1, group.request, group.limits}) + "'";
    } else if (random.chance(1, 2)) {
        labels += ", kueue.x-k8s.io/pod-group-role: workers";
    }
    if (group.fast) annotations += ", kueue.x-k8s.io/pod-group-fast-admission: \"true\"";
    if (group.serving) annotations += ", kueue.x-k8s.io/pod-group-serving: \"true\"";
    return api::from_yaml<api::core::Pod>(
               pod_text(name, labels, annotations, stated(group.limits), request, fails, random))
        .value();
}

std::string format_sets(const Announced& announced) {
    return "[{\"name\": \"driver\", \"count\": 1}, {\"name\": \"workers\", \"count\": " +
           std::to_string(announced.workers) +
           ", \"template\": {\"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": {\"" +
           stated(announced.limits) + "\": {\"cpu\": \"" + std::to_string(announced.request) + "m\"}}}]}}}]";
}

std::optional<Announced> announced_by(const api::core::Pod& pod) {
    const Text* text = pod.metadata.annotations.find(kSetsAnnotation);
    if (!text) return std::nullopt;
    return Announced{number_after(text->view(), "\"workers\", \"count\": "), number_after(text->view(), "\"cpu\": \""),
                     text->view().find("limits") != std::string_view::npos};
}

bool is_request_of(const DrawnGroup& group, std::int64_t milli_cpus) {
    return milli_cpus == group.request || (group.driven && milli_cpus == kDriverRequest) ||
           (group.mixed && milli_cpus == group.request + kOddRequest);
}

}  // namespace muster::sim
