#include "node/process/process_pods.h"

#include "base/check.h"
#include "node/pods/storage_limits.h"
#include "node/process/storage_measure.h"
#include "node/process/termination_message.h"
#include "node/runtime/created_run.h"
#include "os/files/files.h"

namespace muster::node {
namespace {

PreparationOptions preparation_options(const PodHost& host, const ProcessPodsOptions& options, PodNetwork& network) {
    PreparationOptions out;
    out.directory = options.directory;
    out.base_environment = options.base_environment;
    out.user_id = options.user_id;
    out.pod_user = options.pod_user;
    out.network = &network;
    out.api = options.api;
    out.processes = options.processes;
    out.worker = options.worker;
    out.warn = host.warn;
    return out;
}

}  // namespace

ProcessPods::ProcessPods(const PodHost& host, Runs& runs, ProcessPodsOptions options)
    : loop_(host.loop),
      runs_(runs),
      options_(std::move(options)),
      network_(host.loop, host.client, host.pods, host.is_ours, options_.directory, options_.api),
      preparation_(host.loop, host.client, preparation_options(host, options_, network_)) {}

ProcessPods::~ProcessPods() { *stopped_ = true; }

void ProcessPods::begin(RunListener listener) {
    network_.start();
    runs_.listen(std::move(listener));
}

os::Task<PodRuntime::Created> ProcessPods::create(ContainerStart start) {
    auto prepared = co_await preparation_.prepare(std::move(start));
    if (auto* obstacle = std::get_if<Obstacle>(&prepared)) co_return Created(std::move(*obstacle));
    std::unique_ptr<CreatedContainer> created =
        std::make_unique<CreatedRun>(runs_, std::move(std::get<RunRequest>(prepared)));
    co_return Created(std::move(created));
}

void ProcessPods::adopt(const PodRef& pod, const NodeFacts& facts, const Text& pod_ip) {
    preparation_.adopt(pod, facts, pod_ip);
}

void ProcessPods::forget(const Text& pod_uid) {
    runs_.forget(pod_uid);
    preparation_.forget(pod_uid);
}

std::vector<Text> ProcessPods::list_pods() {
    const Result<std::vector<std::string>> there = os::LinuxFiles().list(options_.directory + "/pods");
    if (!there.ok()) return {};
    return {there->begin(), there->end()};
}

std::string ProcessPods::read_message(const api::core::Container& container, const RunKey& key, int exit_code) {
    return read_termination_message(container, key, options_.directory, exit_code);
}

std::string ProcessPods::explain_not_started(const api::core::Container& container) const {
    return missing_command_note(container);
}

bool ProcessPods::is_measured(const api::core::Pod& pod) const {
    return options_.worker && has_storage_limits(pod, options_.user_id == 0);
}

os::Task<StorageUse> ProcessPods::measure(PodRef pod) {
    CHECK(options_.worker);
    auto measuring = [directory = options_.directory, measured = pod, as_root = options_.user_id == 0,
                      stopped = stopped_] { return measure_storage(directory, *measured, as_root, *stopped); };
    co_return co_await os::offload(loop_, *options_.worker, std::move(measuring));
}

}  // namespace muster::node
