#include "controllers/queue/admission/controller.h"

#include <algorithm>
#include <utility>

#include "api/kinds/kueue/kueue_names.h"
#include "base/check.h"
#include "base/saturate.h"
#include "controllers/queue/admission/engine/translate.h"
#include "controllers/queue/workload/workload_state.h"
#include "os/loop/breath.h"

namespace muster::controllers {
namespace {

namespace kueue = api::kueue;
using queue::Place;
using queue::Tracked;

constexpr std::size_t kLifecycleAtOnce = 512;
constexpr int kRefreshesMax = 8;

queue::FairSharing fair_sharing_of(const AdmissionOptions& options) {
    queue::FairSharing fair;
    fair.enabled = options.fair_sharing.has_value();
    if (!fair.enabled) return fair;
    const auto has = [&](kueue::FairPreemption strategy) {
        const auto& all = options.fair_sharing->strategies;
        return all.empty() || std::find(all.begin(), all.end(), strategy) != all.end();
    };
    fair.less_or_equal_final_share = has(kueue::FairPreemption::kLessThanOrEqualToFinalShare);
    fair.less_initial_share = has(kueue::FairPreemption::kLessThanInitialShare);
    return fair;
}

// Whether anything but waiting for quota can happen to it. Most workloads have only that before them.
bool has_life(const kueue::Workload& workload) {
    if (is_finished(workload.status)) return false;
    return workload.status.admission || !workload.spec.active.value_or(true) ||
           find_condition(workload.status, kueue::kWorkloadRequeued) ||
           find_condition(workload.status, kueue::kWorkloadDeactivationTarget);
}

}  // namespace

AdmissionController::AdmissionController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                         AdmissionOptions options)
    : loop_(loop),
      options_(std::move(options)),
      metrics_(metrics),
      engine_(fair_sharing_of(options_)),
      environment_(loop, client),
      workloads_(loop, client),
      queues_(engine_),
      reports_(loop, client, metrics_, environment_, engine_),
      writes_(loop, client, workloads_, table_,
              {[this](const Workload& stored, const queue::Told& told) { reports_.stored(stored, told); },
               [this](ItemId item) { on_write_ended(item); }}),
      status_writer_(loop, client, options_, metrics_,
                     {environment_, queues_, ledger_, engine_,
                      [this](const Text& name) { return table_.is_being_written(name); }}),
      explainer_(loop, options_, engine_, table_, explainer_calls()),
      wake_(loop),
      lifecycle_(loop, client::QueueMetrics(metrics, "queue_workloads"), kLifecycleAtOnce,
                 [this](Name name) { return sync_lifecycle(std::move(name)); }),
      tasks_(loop) {}

AdmissionController::~AdmissionController() {
    if (look_again_timer_ != 0) loop_.cancel(look_again_timer_);
}

queue::Environment::Listener AdmissionController::environment_listener() {
    queue::Environment::Listener listener;
    listener.changed = [this] {
        queues_stale_ = true;
        wake_.notify();
    };
    listener.cluster_queue_gone = [this](const Text& name) { status_writer_.forget_cluster_queue(name); };
    listener.local_queue_gone = [this](const Name& name) { status_writer_.forget_local_queue(name); };
    listener.local_queue_changed = [this](const Name& name) { ledger_.mark_stale(name); };
    return listener;
}

queue::Explainer::Calls AdmissionController::explainer_calls() {
    queue::Explainer::Calls calls;
    calls.some_wait = [this] { return ledger_.waiting() > 0; };
    calls.is_blocked = [this] { return is_blocked(); };
    calls.may_write = [this](ItemId item) {
        return table_.writing() < options_.writes_at_once_max && find_stored(table_[item]);
    };
    calls.explain = [this](ItemId item, const Text& reason, const std::string& message) {
        const WorkloadRef workload = workloads_.get(table_[item].name);
        const auto requests = queue::requests_of(*workload, environment_.pod_rules(table_[item].name.namespace_));
        auto draft = queue::draft_explanation(*workload, reason, message, requests, loop_.now());
        if (draft) writes_.begin(item, workload, std::move(*draft));
    };
    return calls;
}

void AdmissionController::start() {
    workloads_.on_change([this](const WorkloadRef& before, const WorkloadRef& now) { on_workload(before, now); });
    environment_.start(environment_listener());
    workloads_.start();
    lifecycle_.start();
    tasks_.spawn(run_decisions());
    status_writer_.start();
}

AdmissionController::WorkloadRef AdmissionController::find_stored(const Tracked& tracked) const {
    WorkloadRef workload = workloads_.get(tracked.name);
    return workload && workloads_.reached(tracked.awaited) ? workload : nullptr;
}

void AdmissionController::on_workload(const WorkloadRef& before, const WorkloadRef& now) {
    if (!ready_) return;
    if (!now) {
        const auto found = table_.find(client::name_of(*before));
        if (found) forget(*found);
        return;
    }
    const ItemId item = track(*now);
    Tracked& tracked = table_[item];
    if (tracked.busy) return;
    // A live read did not find the Workload, but this event is older than its deletion.
    const bool passed = tracked.awaited.epoch != workloads_.epoch();
    if (passed || tracked.awaited.version == queue::WorkloadWrites::kVersionOfGone) tracked.awaited = {};
    if (client::parse_version(now->metadata.resource_version) < tracked.awaited.version) return;
    settle(item, *now);
}

queue::ItemId AdmissionController::track(const Workload& workload) {
    const Name name = client::name_of(workload);
    if (const auto found = table_.find(name)) {
        if (table_[*found].uid == workload.metadata.uid) return *found;
        forget(*found);  // recreated under the same name
    }
    const ItemId item = engine_.add_item();
    table_.add(item, name, workload.metadata.uid);
    return item;
}

void AdmissionController::forget(ItemId item) {
    // What is being written about it may still tell that it had quota: its number stays until then.
    if (table_.leave(item)) release(item);
}

void AdmissionController::release(ItemId item) {
    ledger_.remove(entry_of(item));
    status_writer_.wake();
    engine_.remove_item(item);
    table_.free(item);
    wake_.notify();
}

void AdmissionController::settle(ItemId item, const Workload& workload) {
    Tracked& tracked = table_[item];
    ledger_.remove(entry_of(item));
    note_preemptions(item, workload);
    const Place before = std::exchange(tracked.place, place(item, workload));
    if (tracked.place.waits() && !before.waits()) tracked.waiting_since = loop_.now();
    ledger_.add(entry_of(item));
    status_writer_.wake();
    reports_.settled(workload, before, tracked.place);
    explainer_.arm();
    wake_.notify();
    if (!has_life(workload)) return;
    const queue::LifecyclePlan plan = queue::decide_lifecycle(workload, surroundings(workload));
    if (plan.status || plan.deactivate)
        lifecycle_.add(tracked.name);
    else if (plan.wake_at)
        lifecycle_.add_after(tracked.name, *plan.wake_at - loop_.now());
}

Place AdmissionController::place(ItemId item, const Workload& workload) {
    const Tracked& tracked = table_[item];
    const Text& namespace_ = tracked.name.namespace_;
    const auto local_queue = environment_.find_local_queue({namespace_, workload.spec.queue_name});
    queue::PlaceFacts facts;
    facts.local_queue = local_queue.get();
    if (local_queue) facts.cluster_queue = queues_.find(local_queue->spec.cluster_queue);
    facts.namespace_labels = environment_.namespace_labels(namespace_);
    facts.rules = environment_.pod_rules(namespace_);
    Place place = queue::find_place(workload, tracked.place, facts);
    queue::enter_engine(engine_, item, workload, place, ordered_at(workload, tracked), facts.rules);
    return place;
}

queue::LedgerEntry AdmissionController::entry_of(ItemId item) const {
    const Tracked& tracked = table_[item];
    const Place& place = tracked.place;
    return {place.phase,
            place.unready,
            place.cluster_queue,
            Name(tracked.name.namespace_, place.local_queue),
            engine_.item(item).usage,
            place.asks};
}

void AdmissionController::note_preemptions(ItemId item, const Workload& workload) {
    std::optional<std::int32_t>& known = table_[item].preemptions;
    const std::int32_t count = queue::count_preemptions(workload.status);
    if (known) {
        const std::int32_t more = std::min<std::int32_t>(sub_sat(count, *known), queue::kPreemptionsMax);
        for (std::int32_t i = 0; i < more; ++i) engine_.note_preempted(item, loop_.now());
    } else if (is_true(workload.status, kueue::kWorkloadPreempted)) {
        const auto* preempted = find_condition(workload.status, kueue::kWorkloadPreempted);
        engine_.note_preempted(item, preempted->last_transition_time.instant());
    }
    known = count;
}

queue::Surroundings AdmissionController::surroundings(const Workload& workload) const {
    const auto local_queue = environment_.find_local_queue({workload.metadata.namespace_, workload.spec.queue_name});
    const Text name = workload.status.admission ? workload.status.admission->cluster_queue
                      : local_queue             ? local_queue->spec.cluster_queue
                                                : Text();
    const auto cluster_queue = environment_.find_cluster_queue(name);
    queue::Surroundings around = queue::surroundings_of(workload, local_queue.get(), cluster_queue.get());
    around.now = loop_.now();
    if (options_.pods_ready) around.pods_ready = &*options_.pods_ready;
    return around;
}

// Creation is told in whole seconds; within one, who came first goes first.
Instant AdmissionController::ordered_at(const Workload& workload, const Tracked& tracked) const {
    const bool by_eviction = options_.pods_ready && options_.pods_ready->requeue_by_eviction;
    return queue::queue_time(workload, by_eviction) + Duration(std::min<std::uint32_t>(tracked.sequence, 999'999'999));
}

os::Task<Worked> AdmissionController::sync_lifecycle(Name name) {
    const auto item = table_.find(name);
    if (!item) co_return Worked::kDone;
    const WorkloadRef workload = find_stored(table_[*item]);
    // Whatever is under way settles it again when it is done.
    if (!workload || table_[*item].busy) co_return Worked::kLater;
    queue::LifecyclePlan plan = queue::decide_lifecycle(*workload, surroundings(*workload));
    if (plan.wake_at) lifecycle_.add_after(name, *plan.wake_at - loop_.now());
    if (!plan.status && !plan.deactivate) co_return Worked::kLater;
    const auto draft = std::make_shared<const queue::WorkloadDraft>(queue::draft_lifecycle(*workload, std::move(plan)));
    co_await writes_.write(*item, workload, draft);
    co_return Worked::kLater;
}

queue::Concerned AdmissionController::refresh_queues() {
    queues_stale_ = false;
    queue::QueueObjectsNow now;
    now.cluster_queues = environment_.cluster_queues().all();
    now.cohorts = environment_.cohorts().all();
    now.flavors = environment_.flavors().all();
    now.check_active = [this](const Text& check) { return environment_.is_check_active(check); };
    const queue::QueueChanges changes = queues_.refresh(now);
    for (const Text& name : changes.changed) ledger_.mark_stale(name);
    for (const Text& name : changes.gone) ledger_.forget_unused(name);
    queue::Concerned concerned = environment_.take_concerned();
    concerned.all = std::exchange(all_concerned_, false);
    concerned.cluster_queues = changes.changed;
    concerned.cluster_queues.insert(changes.gone.begin(), changes.gone.end());
    for (const auto& local : environment_.local_queues().all())
        if (concerned.cluster_queues.contains(local->spec.cluster_queue)) ledger_.mark_stale(client::name_of(*local));
    status_writer_.mark_cohorts_stale();
    return concerned;
}

bool AdmissionController::is_concerned(const queue::Concerned& by, const Tracked& tracked) const {
    if (by.concern(tracked.name, tracked.place.cluster_queue, tracked.place.local_queue)) return true;
    if (by.runtime_classes.empty()) return false;
    const WorkloadRef workload = workloads_.get(tracked.name);
    return workload && by.concern_pods_of(*workload);
}

os::Task<void> AdmissionController::settle_concerned(std::shared_ptr<const queue::Concerned> by) {
    os::Breath breath(loop_);
    // By number: others come and go meanwhile, and those that come are settled by what is known then.
    for (ItemId item = 0; item < table_.size(); ++item) {
        co_await breath.take();
        const Tracked& tracked = table_[item];
        if (tracked.is_free() || tracked.gone || (tracked.place.over && !by->all) || !is_concerned(*by, tracked))
            continue;
        const WorkloadRef workload = workloads_.get(tracked.name);
        if (!workload || workload->metadata.uid != tracked.uid) continue;
        const bool known = !tracked.busy && workloads_.reached(tracked.awaited);
        // Who merely waits comes to the queue with the others, whatever is being written about it, or those that came
        // later would overtake it.
        if (known || engine_.item(item).state != queue::ItemState::kHolding) settle(item, *workload);
    }
}

os::Task<void> AdmissionController::run_decisions() {
    co_await environment_.wait_synced();
    co_await workloads_.wait_synced();
    ready_ = true;
    for (const WorkloadRef& workload : workloads_.all()) track(*workload);
    queues_stale_ = true;
    all_concerned_ = true;
    for (;;) {
        while (!queues_stale_ && !may_decide()) co_await wake_.wait();
        // What changes while others are settled comes first, too, unless it never ends.
        for (int again = 0; queues_stale_ && again < kRefreshesMax; ++again) {
            const auto concerned = std::make_shared<const queue::Concerned>(refresh_queues());
            co_await settle_concerned(concerned);
        }
        const Duration start = loop_.uptime();
        if (may_decide()) decide_once();
        // What happens meanwhile is decided together, so that many small changes cost no more than one.
        co_await os::sleep_for(loop_, std::max(options_.pace, 3 * (loop_.uptime() - start)));
    }
}

bool AdmissionController::is_blocked() const {
    return options_.pods_ready && options_.pods_ready->block_admission && ledger_.unready() > 0;
}

bool AdmissionController::may_decide() const {
    if (!engine_.dirty(loop_.now()) || table_.writing() >= options_.writes_at_once_max) return false;
    return !is_blocked();
}

void AdmissionController::decide_once() {
    const bool one_by_one = options_.pods_ready && options_.pods_ready->block_admission;
    const std::size_t most = one_by_one ? 1 : options_.writes_at_once_max - table_.writing();
    const Duration start = loop_.uptime();
    const queue::Plan plan = engine_.decide(loop_.now(), most);
    const Duration took = loop_.uptime() - start;
    deciding_time_ += took;
    ++decisions_;
    if (plan.looked_at > 0)
        metrics_.attempted(!plan.admit.empty(), std::chrono::duration<double>(std::max(took, Duration(0))).count());
    for (const queue::Evict& evict : plan.evict) carry_out(evict);
    for (const queue::Admit& admit : plan.admit) carry_out(admit);
    arm_looking_again();
}

void AdmissionController::arm_looking_again() {
    if (look_again_timer_ != 0) loop_.cancel(look_again_timer_);
    look_again_timer_ = 0;
    if (!engine_.look_again_at()) return;
    look_again_timer_ = loop_.after(std::max(Duration(0), *engine_.look_again_at() - loop_.now()), [this] {
        look_again_timer_ = 0;
        wake_.notify();
    });
}

void AdmissionController::carry_out(const queue::Admit& admit) {
    const Tracked& tracked = table_[admit.item];
    // While something else is being written about it, its quota is kept for it, though it may be gone by now; see
    // on_write_ended().
    if (tracked.busy) return;
    const WorkloadRef workload = workloads_.get(tracked.name);
    CHECK(workload, "admitted what is not there");
    const Text& name = tracked.place.cluster_queue;
    const auto cluster_queue = environment_.find_cluster_queue(name);
    writes_.begin(
        admit.item, workload,
        queue::draft_admission(*workload, name, cluster_queue.get(), admit.pod_sets, engine_.names(), loop_.now()));
}

void AdmissionController::carry_out(const queue::Evict& evict) {
    const Tracked& victim = table_[evict.victim];
    const Tracked& by = table_[evict.preemptor];
    const WorkloadRef workload = workloads_.get(victim.name);
    const WorkloadRef preemptor = workloads_.get(by.name);
    // While something else is being written about the victim, it is evicted by what comes of that: see settle().
    if (!workload || !preemptor || victim.busy) return;
    queue::PreemptionFacts facts;
    facts.reason = evict.reason;
    facts.preemptor_queue = by.place.cluster_queue;
    facts.preemptor_path = engine_.path(by.place.cluster_queue);
    facts.victim_path = engine_.path(victim.place.cluster_queue);
    reports_.preempts(*preemptor, victim.name, victim.uid, victim.place.cluster_queue);
    writes_.begin(evict.victim, workload, queue::draft_preemption(*workload, *preemptor, facts, loop_.now()));
}

void AdmissionController::on_write_ended(ItemId item) {
    wake_.notify();
    const Tracked& tracked = table_[item];
    if (tracked.gone) return release(item);
    const WorkloadRef workload = find_stored(tracked);
    if (workload && workload->metadata.uid == tracked.uid) settle(item, *workload);
}

}  // namespace muster::controllers
