#include "controllers/queue/workload/workload_writer.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "client/workers.h"

namespace muster::controllers {

namespace kueue = api::kueue;

void observe_creation(client::Metrics& metrics, const char* kind, Duration latency) {
    static const client::MetricInfo info{"kueue_workload_creation_latency_seconds",
                                         "Seconds from the creation of a Job or pod to that of its Workload.",
                                         client::exponential_buckets(0.01, 2, 16)};
    metrics.observe(info, {{"job_kind", kind}}, std::chrono::duration<double>(std::max(latency, Duration(0))).count());
}

void WorkloadWriter::wrote(WorkloadRef written) {
    latest_ = std::move(written);
    memory_.wrote(*latest_);
}

os::Task<Result<void>> WorkloadWriter::create(Workload draft) {
    CO_TRY_ASSIGN(WorkloadRef created, co_await client_.create<Workload>(std::move(draft)));
    wrote(std::move(created));
    co_return Result<void>();
}

os::Task<Result<void>> WorkloadWriter::change_spec(kueue::WorkloadSpec spec) {
    Workload draft = *latest_;
    draft.spec = std::move(spec);
    CO_TRY_ASSIGN(WorkloadRef written, co_await client_.change<Workload>(latest_, std::move(draft)));
    wrote(std::move(written));
    co_return Result<void>();
}

os::Task<Result<void>> WorkloadWriter::change_status(kueue::WorkloadStatus status) {
    Workload draft = *latest_;
    draft.status = std::move(status);
    CO_TRY_ASSIGN(WorkloadRef written, co_await client_.change_status<Workload>(latest_, std::move(draft)));
    wrote(std::move(written));
    co_return Result<void>();
}

os::Task<Result<void>> WorkloadWriter::change_metadata(client::MetadataPatch patch) {
    patch.uid = latest_->metadata.uid;
    patch.resource_version = latest_->metadata.resource_version;
    patch.flow = client::flow_of(latest_->metadata);
    CO_TRY_ASSIGN(WorkloadRef written,
                  co_await client_.patch_metadata<Workload>(client::name_of(*latest_), std::move(patch)));
    wrote(std::move(written));
    co_return Result<void>();
}

os::Task<Result<void>> WorkloadWriter::change_gates(Text gates) {
    client::MetadataPatch patch;
    if (gates.empty())
        patch.remove_annotations.emplace_back(kueue::kAdmissionGatedByAnnotation);
    else
        patch.set_annotations.emplace_back(kueue::kAdmissionGatedByAnnotation, std::move(gates));
    co_return co_await change_metadata(std::move(patch));
}

os::Task<Result<void>> WorkloadWriter::remove() {
    const auto removed =
        co_await client_.remove<Workload>(client::name_of(*latest_), client::Removal(latest_->metadata.uid));
    if (!removed.ok() && !client::is_gone(removed.error())) co_return removed.error();
    memory_.removed(*latest_);
    co_return Result<void>();
}

os::Task<Result<void>> WorkloadWriter::release() {
    client::MetadataPatch patch(latest_->metadata.uid);
    patch.remove_finalizers.emplace_back(kueue::kResourceInUseFinalizer);
    const auto released = co_await client_.patch_metadata<Workload>(client::name_of(*latest_), std::move(patch));
    if (!released.ok() && !client::is_gone(released.error())) co_return released.error();
    if (released.ok()) wrote(*released);
    co_return Result<void>();
}

}  // namespace muster::controllers
