#include "controllers/ttl/controller.h"

#include "controllers/ttl/decide.h"

namespace muster::controllers {
namespace {

using api::batch::Job;

constexpr Duration kRetryDelay = 1s;

client::ObjectName name_of(const Job& job) { return {job.metadata.namespace_, job.metadata.name}; }

}  // namespace

os::Task<void> TtlController::run() {
    for (;;) {
        (void)co_await follow();  // expired or cut off: whatever the reason, list again
        co_await os::sleep_for(loop_, kRetryDelay);
    }
}

os::Task<Result<void>> TtlController::follow() {
    CO_TRY_ASSIGN(auto listing, co_await client_.list<Job>(""));
    for (auto& job : listing.items) tasks_.spawn(consider(std::move(job)));
    CO_TRY_ASSIGN(auto watch, co_await client_.watch<Job>("", listing.resource_version));
    for (;;) {
        CO_TRY_ASSIGN(auto events, co_await watch.next());
        for (auto& event : events)
            if (event.type != client::EventType::kDeleted) tasks_.spawn(consider(std::move(event.object)));
    }
}

os::Task<void> TtlController::consider(client::Ref<Job> job) {
    const TtlPlan plan = decide_ttl(*job, loop_.now());
    if (plan.wake_at) co_await os::sleep_for(loop_, *plan.wake_at - loop_.now());
    if (plan.wake_at || plan.remove) co_await reconsider(name_of(*job));
}

// What woke us may be old: only a fresh read may condemn a Job, and only the very Job that was read.
os::Task<void> TtlController::reconsider(client::ObjectName name) {
    for (;;) {
        auto job = co_await client_.get<Job>(name);
        if (!job.ok()) {
            if (job.error().code == Code::kNotFound) co_return;
            co_await os::sleep_for(loop_, kRetryDelay);
            continue;
        }
        const TtlPlan plan = decide_ttl(**job, loop_.now());
        if (plan.wake_at) co_await os::sleep_for(loop_, *plan.wake_at - loop_.now());
        if (!plan.remove && !plan.wake_at) co_return;
        if (!plan.remove) continue;
        const auto& metadata = (*job)->metadata;
        const client::RemovePreconditions unchanged(metadata.uid, metadata.resource_version);
        const auto removed = co_await client_.remove<Job>(name, unchanged);
        if (removed.ok() || removed.error().code == Code::kNotFound) co_return;
        if (removed.error().code != Code::kConflict) co_await os::sleep_for(loop_, kRetryDelay);
    }
}

}  // namespace muster::controllers
