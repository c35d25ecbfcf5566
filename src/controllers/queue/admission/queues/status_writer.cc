#include "controllers/queue/admission/queues/status_writer.h"

#include <set>
#include <utility>
#include <vector>

#include "os/loop/gather.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;

constexpr std::size_t kStatusesAtOnce = 200;

// A write that fails is tried again, unless the object is gone.
template <class K>
bool is_to_be_repeated(const Result<client::Ref<K>>& written) {
    return !written.ok() && written.error().code != Code::kNotFound;
}

}  // namespace

QueueStatusWriter::QueueStatusWriter(os::Loop& loop, client::Client& client, const AdmissionOptions& options,
                                     AdmissionMetrics& metrics, Sources sources)
    : loop_(loop),
      client_(client),
      options_(options),
      metrics_(metrics),
      from_(std::move(sources)),
      wake_(loop),
      tasks_(loop) {}

void QueueStatusWriter::start() { tasks_.spawn(run()); }

void QueueStatusWriter::forget_cluster_queue(const Text& name) {
    from_.ledger.mark_fresh(name);
    from_.ledger.forget_unused(name);
    metrics_.forget_cluster_queue(name);
}

void QueueStatusWriter::forget_local_queue(const Name& name) {
    from_.ledger.mark_fresh(name);
    from_.ledger.forget_unused(name);
    metrics_.forget_local_queue(name);
}

std::optional<Share> QueueStatusWriter::told(const Share& share) const {
    return options_.fair_sharing ? std::optional(share) : std::nullopt;
}

os::Task<void> QueueStatusWriter::run() {
    for (;;) {
        while (!from_.ledger.is_stale() && !cohorts_stale_) co_await wake_.wait();
        co_await os::sleep_for(loop_, options_.status_every);
        show_cohorts();
        std::vector<os::Task<bool>> writes;
        for (const Text& name : from_.ledger.take_stale_cluster_queues()) writes.push_back(write_cluster_queue(name));
        for (const Name& name : from_.ledger.take_stale_local_queues()) writes.push_back(write_local_queue(name));
        if (std::exchange(cohorts_stale_, false) || options_.fair_sharing)
            for (const auto& cohort : from_.environment.cohorts().all())
                writes.push_back(write_cohort(cohort->metadata.name));
        co_await os::gather(loop_, std::move(writes), kStatusesAtOnce);
    }
}

void QueueStatusWriter::show_cohorts() {
    std::map<Text, QueueCounts> cohorts;
    for (const auto& [name, meaning] : from_.queues.cohorts()) cohorts[name];
    for (const auto& [name, info] : from_.queues.cluster_queues()) {
        const QueueCounts* counts = from_.ledger.find(name);
        // In a cycle of cohorts a cohort is its own ancestor; it counts once.
        std::set<Text> met;
        for (const Text& cohort : from_.engine.cohorts_above(name)) {
            if (!met.insert(cohort).second) break;
            QueueCounts& below = cohorts[cohort];
            if (counts) below.add(*counts);
        }
    }
    for (const auto& [name, counts] : cohorts)
        metrics_.stands(name, from_.engine.cohort_quota(name), counts, from_.engine.cohort_share(name),
                        from_.environment.cohorts_over(name), from_.engine.names());
    metrics_.forget_cohorts(cohorts);
}

os::Task<bool> QueueStatusWriter::write_cluster_queue(Text name) {
    const auto one = from_.environment.find_cluster_queue(name);
    // Workloads may wait for a queue that is gone, or never was; without them nothing is remembered of it.
    if (!one) from_.ledger.forget_unused(name);
    const QueueInfo* info = from_.queues.find(name);
    if (!one || !info) co_return false;
    // A deleted queue is reported as Terminating only when no admission to it is being written. QueueObjects relies on
    // that when it removes the finalizer.
    if (one->metadata.deletion_timestamp && (info->activity.active || from_.is_being_written(name))) {
        from_.ledger.mark_stale(name);
        wake();
        co_return false;
    }
    const QueueCounts& counts = from_.ledger.tell(name);
    const Share share = from_.engine.share(name);
    metrics_.stands(*one, info->activity.active, counts, share, from_.engine.cohorts_above(name), from_.engine.names());
    kueue::ClusterQueue draft = *one;
    draft.status = make_status(*one, info->activity, counts, told(share), from_.engine.names(), loop_.now());
    if (draft.status == one->status) co_return true;
    const auto written = co_await client_.change_status<kueue::ClusterQueue>(one, std::move(draft));
    if (is_to_be_repeated(written)) {
        from_.ledger.mark_stale(name);
        wake();
    }
    co_return written.ok();
}

os::Task<bool> QueueStatusWriter::write_cohort(Text name) {
    const auto one = from_.environment.cohorts().get({Text(), name});
    if (!one || one->metadata.deletion_timestamp) co_return false;
    kueue::Cohort draft = *one;
    draft.status = make_status(*one, told(from_.engine.cohort_share(name)));
    if (draft.status == one->status) co_return true;
    const auto written = co_await client_.change_status<kueue::Cohort>(one, std::move(draft));
    if (is_to_be_repeated(written)) mark_cohorts_stale();
    co_return written.ok();
}

os::Task<bool> QueueStatusWriter::write_local_queue(Name name) {
    const auto local = from_.environment.find_local_queue(name);
    if (!local) {
        from_.ledger.forget_unused(name);
        co_return false;
    }
    const QueueCounts& counts = from_.ledger.tell(name);
    const auto cluster_queue = from_.environment.find_cluster_queue(local->spec.cluster_queue);
    const QueueInfo* info = from_.queues.find(local->spec.cluster_queue);
    const bool known = cluster_queue && info;
    const Activity activity = find_activity(*local, known ? &info->activity : nullptr);
    metrics_.stands(*local, activity.active, counts, from_.engine.names());
    kueue::LocalQueue draft = *local;
    draft.status =
        make_status(*local, activity, known ? cluster_queue.get() : nullptr, counts, from_.engine.names(), loop_.now());
    if (draft.status == local->status) co_return true;
    const auto written = co_await client_.change_status<kueue::LocalQueue>(local, std::move(draft));
    if (is_to_be_repeated(written)) {
        from_.ledger.mark_stale(name);
        wake();
    }
    co_return written.ok();
}

}  // namespace muster::controllers::queue
