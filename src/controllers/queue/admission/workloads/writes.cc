#include "controllers/queue/admission/workloads/writes.h"

#include <algorithm>
#include <utility>

#include "client/workers.h"
#include "os/loop/guard.h"

namespace muster::controllers::queue {
namespace {

constexpr Duration kRefusedPause = 1s;

bool is_refusal(const Error& error) {
    return error.code == Code::kInvalid || error.code == Code::kForbidden || error.code == Code::kBadRequest ||
           error.code == Code::kTooLarge || error.code == Code::kInternal;
}

}  // namespace

WorkloadWrites::WorkloadWrites(os::Loop& loop, client::Client& client, const client::Mirror<Workload>& workloads,
                               WorkloadTable& table, Listener listener)
    : loop_(loop),
      client_(client),
      workloads_(workloads),
      table_(table),
      listener_(std::move(listener)),
      tasks_(loop) {}

void WorkloadWrites::begin(ItemId item, WorkloadRef before, WorkloadDraft draft) {
    table_.begin_write(item);
    tasks_.spawn(store(item, std::move(before), std::make_shared<const WorkloadDraft>(std::move(draft))));
}

os::Task<void> WorkloadWrites::write(ItemId item, WorkloadRef before, std::shared_ptr<const WorkloadDraft> draft) {
    table_.begin_write(item);
    co_await store(item, std::move(before), std::move(draft));
}

os::Task<void> WorkloadWrites::store(ItemId item, WorkloadRef before, std::shared_ptr<const WorkloadDraft> draft) {
    const client::ObjectName name = table_[item].name;
    Workload copy = *draft->workload;
    const auto written = co_await os::guarded(client_.change_part<Workload>(
        before, std::move(copy), draft->spec ? client::Part::kMain : client::Part::kStatus));
    if (written.ok()) {
        table_[item].awaited = {client::parse_version((*written)->metadata.resource_version), workloads_.epoch()};
        listener_.stored(**written, draft->told);
    } else {
        // The write may have been stored anyway, or there was a conflict. Until that is known the plan counts.
        const std::uint64_t version = co_await learn_version(name);
        table_[item].awaited = {version, workloads_.epoch()};
        // What breaks a rule now breaks it again: others come first meanwhile.
        if (is_refusal(written.error())) co_await os::sleep_for(loop_, kRefusedPause);
    }
    table_.end_write(item);
    listener_.ended(item);
}

os::Task<std::uint64_t> WorkloadWrites::learn_version(client::ObjectName name) {
    for (Duration delay = 5ms;; delay = std::min<Duration>(2 * delay, 1s)) {
        const auto fresh = co_await os::guarded(client_.get<Workload>(name));
        if (fresh.ok()) co_return client::parse_version((*fresh)->metadata.resource_version);
        if (client::is_gone(fresh.error())) co_return kVersionOfGone;
        co_await os::sleep_for(loop_, delay);
    }
}

}  // namespace muster::controllers::queue
