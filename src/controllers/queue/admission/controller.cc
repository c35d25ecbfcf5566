#include "controllers/queue/admission/controller.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/admission/translate.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"
#include "os/loop/guard.h"

namespace muster::controllers {
namespace {

namespace kueue = api::kueue;
using queue::Phase;

constexpr std::size_t kExplainAtOnce = 1000;
constexpr std::size_t kLifecycleAtOnce = 512;
constexpr int kRefreshesMax = 8;
constexpr Duration kRefusedPause = 1s;

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

bool is_refusal(const Error& error) {
    return error.code == Code::kInvalid || error.code == Code::kForbidden || error.code == Code::kBadRequest ||
           error.code == Code::kTooLarge || error.code == Code::kInternal;
}

double whole_seconds(Duration span) { return std::chrono::duration<double>(std::max(span, Duration(0))).count(); }

Word word_of(queue::PreemptReason reason) {
    switch (reason) {
        case queue::PreemptReason::kInClusterQueue: return Word::kInClusterQueue;
        case queue::PreemptReason::kInCohortReclamation: return Word::kInCohortReclamation;
        case queue::PreemptReason::kInCohortFairSharing: return Word::kInCohortFairSharing;
        case queue::PreemptReason::kInCohortReclaimWhileBorrowing: break;
    }
    return Word::kInCohortReclaimWhileBorrowing;
}

std::string describe_preemption(const kueue::Workload& preemptor, const queue::Evict& evict,
                                const std::string& preemptor_path, const std::string& victim_path) {
    const Text* job = preemptor.metadata.labels.find(kueue::kJobUidLabel);
    return say(Word::kPreempted, {preemptor.metadata.uid.view(), job ? job->view() : std::string_view("UNKNOWN"),
                                  say(word_of(evict.reason)), preemptor_path, victim_path});
}

}  // namespace

AdmissionController::AdmissionController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                         AdmissionOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      recorder_(loop, client, "kueue-admission"),
      metrics_(metrics),
      engine_(fair_sharing_of(options_)),
      cluster_queues_(loop, client),
      local_queues_(loop, client),
      flavors_(loop, client),
      cohorts_(loop, client),
      checks_(loop, client),
      namespaces_(loop, client),
      limit_ranges_(loop, client),
      runtime_classes_(loop, client),
      workloads_(loop, client),
      wake_(loop),
      status_wake_(loop),
      lifecycle_(loop, client::QueueMetrics(metrics, "queue_workloads")),
      workers_(loop, lifecycle_, kLifecycleAtOnce, [this](Name name) { return sync_lifecycle(std::move(name)); }),
      tasks_(loop) {
    limit_ranges_by_namespace_ =
        limit_ranges_.add_index([](const api::core::LimitRange& range) { return range.metadata.namespace_; });
    find_runtime_class_ = [this](const Text& name) { return runtime_classes_.get({Text(), name}); };
}

AdmissionController::~AdmissionController() {
    if (explain_timer_ != 0) loop_.cancel(explain_timer_);
    if (look_again_timer_ != 0) loop_.cancel(look_again_timer_);
}

void AdmissionController::start() {
    watch_queues();
    workloads_.on_change([this](const WorkloadRef& before, const WorkloadRef& now) { on_workload(before, now); });
    cluster_queues_.start();
    local_queues_.start();
    flavors_.start();
    cohorts_.start();
    checks_.start();
    namespaces_.start();
    limit_ranges_.start();
    runtime_classes_.start();
    workloads_.start();
    workers_.start();
    tasks_.spawn(run_decisions());
    tasks_.spawn(run_statuses());
}

os::Task<void> AdmissionController::run_decisions() {
    co_await cluster_queues_.wait_synced();
    co_await local_queues_.wait_synced();
    co_await flavors_.wait_synced();
    co_await cohorts_.wait_synced();
    co_await checks_.wait_synced();
    co_await namespaces_.wait_synced();
    co_await limit_ranges_.wait_synced();
    co_await runtime_classes_.wait_synced();
    co_await workloads_.wait_synced();
    ready_ = true;
    for (const WorkloadRef& workload : workloads_.all()) track(*workload);
    queues_stale_ = true;
    concerned_.all = true;
    for (;;) {
        while (!queues_stale_ && !may_decide()) co_await wake_.wait();
        // What changes while others are settled comes first, too, unless it never ends.
        for (int again = 0; queues_stale_ && again < kRefreshesMax; ++again) {
            refresh_queues();
            co_await settle_concerned();
        }
        const Duration start = loop_.uptime();
        if (may_decide()) decide_once();
        // What happens meanwhile is decided together, so that many small changes cost no more than one.
        co_await os::sleep_for(loop_, std::max(options_.pace, 3 * (loop_.uptime() - start)));
    }
}

bool AdmissionController::may_decide() const {
    if (!engine_.dirty(loop_.now()) || writing_ >= options_.writes_at_once_max) return false;
    return !is_blocked();
}

void AdmissionController::decide_once() {
    const bool one_by_one = options_.pods_ready && options_.pods_ready->block_admission;
    const std::size_t most = one_by_one ? 1 : options_.writes_at_once_max - writing_;
    const Duration start = loop_.uptime();
    const queue::Plan plan = engine_.decide(loop_.now(), most);
    const Duration took = loop_.uptime() - start;
    deciding_time_ += took;
    ++decisions_;
    if (plan.looked_at > 0) metrics_.attempted(!plan.admit.empty(), whole_seconds(took));
    carry_out(plan);
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

void AdmissionController::carry_out(const queue::Plan& plan) {
    for (const queue::Evict& evict : plan.evict) carry_out(evict);
    for (const queue::Admit& admit : plan.admit) carry_out(admit);
}

void AdmissionController::carry_out(const queue::Admit& admit) {
    Tracked& tracked = tracked_[admit.item];
    // While something else is being written about it, its quota is kept for it, though it may be gone by now; see
    // finish_store().
    if (tracked.busy) return;
    const WorkloadRef workload = workloads_.get(tracked.name);
    CHECK(workload, "admitted what is not there");
    const auto draft = std::make_shared<Workload>(*workload);
    const Instant now = loop_.now();
    const std::int64_t generation = draft->metadata.generation;
    const Text name = tracked.cluster_queue;
    kueue::Admission admission = queue::make_admission(*workload, name, admit.pod_sets, engine_.names());
    const client::Ref<ClusterQueue> cluster_queue = cluster_queues_.get({"", name});
    if (cluster_queue) queue::list_checks(draft->status, queue::checks_for(*cluster_queue, admission), now);
    draft->status.admission = std::move(admission);
    queue::mark_reserved(draft->status, name, generation, now);
    Told told;
    told.what = Told::What::kAdmission;
    if (queue::checks_passed(draft->status)) {
        queue::mark_admitted(draft->status, generation, now);
        told.reason = reason_of(Word::kAdmittedEvent);
        told.message = say(Word::kAdmittedEvent, {name.view(), "0"});
    } else {
        const Instant since = queue::queue_time(*workload, true);
        const auto waited = static_cast<std::int64_t>(whole_seconds(now - since));
        told.reason = reason_of(Word::kQuotaReservedEvent);
        told.message = say(Word::kQuotaReservedEvent, {name.view(), std::to_string(waited)});
    }
    tracked.busy = true;
    ++writing_;
    tasks_.spawn(store(admit.item, workload, draft, false, std::make_shared<const Told>(std::move(told))));
}

void AdmissionController::carry_out(const queue::Evict& evict) {
    Tracked& tracked = tracked_[evict.victim];
    const Tracked& by = tracked_[evict.preemptor];
    const WorkloadRef workload = workloads_.get(tracked.name);
    const WorkloadRef preemptor = workloads_.get(by.name);
    // While something else is being written about the victim, it is evicted by what comes of that: see settle().
    if (!workload || !preemptor || tracked.busy) return;
    const auto draft = std::make_shared<Workload>(*workload);
    Told told;
    told.what = Told::What::kPreemption;
    told.reason = kueue::kWorkloadPreempted;
    told.message =
        describe_preemption(*preemptor, evict, engine_.path(by.cluster_queue), engine_.path(tracked.cluster_queue));
    told.preemptor_queue = by.cluster_queue;
    told.preempt_reason = format_reason(evict.reason);
    told.evicted_for = kueue::kEvictedPreempted;
    const std::int64_t generation = draft->metadata.generation;
    queue::mark_evicted(draft->status, kueue::kEvictedPreempted, told.message, generation, loop_.now());
    set_condition(draft->status, kueue::kWorkloadPreempted, true, format_reason(evict.reason), told.message, generation,
                  loop_.now());
    note(*preemptor, reason_of(Word::kPreemptedWorkloadEvent),
         say(Word::kPreemptedWorkloadEvent,
             {client::format_name(tracked.name), tracked.uid.view(), tracked.cluster_queue.view()}));
    tracked.busy = true;
    ++writing_;
    tasks_.spawn(store(evict.victim, workload, draft, false, std::make_shared<const Told>(std::move(told))));
}

os::Task<void> AdmissionController::store(ItemId item, WorkloadRef before, Draft draft, bool spec, ToldRef told) {
    const Name name = tracked_[item].name;
    const auto written = co_await os::guarded(
        client_.change_part<Workload>(before, std::move(*draft), spec ? client::Part::kMain : client::Part::kStatus));
    if (written.ok()) {
        tracked_[item].awaited = {client::parse_version((*written)->metadata.resource_version), workloads_.epoch()};
        if (told) tell(**written, *told);
    } else {
        // The write may have been stored anyway, or there was a conflict. Until that is known the plan counts.
        const std::uint64_t version = co_await learn_version(name);
        tracked_[item].awaited = {version, workloads_.epoch()};
        // What breaks a rule now breaks it again: others come first meanwhile.
        if (is_refusal(written.error())) co_await os::sleep_for(loop_, kRefusedPause);
    }
    finish_store(item);
}

os::Task<std::uint64_t> AdmissionController::learn_version(Name name) {
    for (Duration delay = 5ms;; delay = std::min<Duration>(2 * delay, 1s)) {
        const auto fresh = co_await os::guarded(client_.get<Workload>(name));
        if (fresh.ok()) co_return client::parse_version((*fresh)->metadata.resource_version);
        if (is_gone(fresh.error())) co_return kVersionOfGone;
        co_await os::sleep_for(loop_, delay);
    }
}

void AdmissionController::finish_store(ItemId item) {
    --writing_;
    wake_.notify();
    Tracked& tracked = tracked_[item];
    tracked.busy = false;
    if (tracked.gone) return release(item);
    const WorkloadRef workload = workloads_.get(tracked.name);
    if (workload && workload->metadata.uid == tracked.uid && workloads_.reached(tracked.awaited))
        settle(item, *workload);
}

Text AdmissionController::known_queue(const Text& cluster_queue) const {
    return cluster_queues_.get({Text(), cluster_queue}) ? cluster_queue : Text();
}

queue::Counted AdmissionController::counted_in(const Text& cluster_queue, const Workload& workload) const {
    const Name local_queue{workload.metadata.namespace_, workload.spec.queue_name};
    queue::Counted in;
    in.cluster_queue = known_queue(cluster_queue);
    if (local_queues_.get(local_queue)) in.local_queue = local_queue;
    if (!in.cluster_queue.empty()) in.cohorts = engine_.cohorts_above(in.cluster_queue);
    if (workload.spec.priority_class_ref) in.priority_class = workload.spec.priority_class_ref->name;
    return in;
}

void AdmissionController::tell(const Workload& workload, const Told& told) {
    const queue::Counted in =
        counted_in(workload.status.admission ? workload.status.admission->cluster_queue : Text(), workload);
    const bool warns = told.what == Told::What::kExplanation || told.reason == reason_of(Word::kChecksRejectedEvent);
    if (!told.reason.empty()) note(workload, told.reason, told.message, warns ? "Warning" : "Normal");
    if (!told.evicted_for.empty()) {
        const queue::EvictionCause cause = queue::split_eviction(told.evicted_for);
        bool first = false;
        if (workload.status.scheduling_stats)
            for (const auto& counted : workload.status.scheduling_stats->evictions)
                first |= counted.reason == cause.reason && counted.underlying_cause == cause.underlying &&
                         counted.count == 1;
        metrics_.evicted(in, cause.reason, cause.underlying, first);
    }
    if (!told.preempt_reason.empty()) metrics_.preempted(known_queue(told.preemptor_queue), told.preempt_reason);
    const bool admitted = told.reason == kueue::kReasonAdmitted;
    const Instant since = queue::queue_time(workload, true);
    const auto* reserved = find_condition(workload.status, kueue::kWorkloadQuotaReserved);
    if (told.what == Told::What::kAdmission) metrics_.reserved(in, whole_seconds(loop_.now() - since));
    if (admitted)
        metrics_.admitted(in, whole_seconds(loop_.now() - since),
                          reserved ? whole_seconds(loop_.now() - reserved->last_transition_time.instant()) : 0);
}

void AdmissionController::note(const Workload& workload, Text reason, std::string message, const char* type) {
    client::Note note;
    note.type = type;
    note.reason = std::move(reason);
    note.message = std::move(message);
    recorder_.note(workload, std::move(note));
}

os::Task<Worked> AdmissionController::sync_lifecycle(Name name) {
    const auto found = items_.find(name);
    if (found == items_.end()) co_return Worked::kDone;
    const ItemId item = found->second;
    const WorkloadRef workload = workloads_.get(name);
    // Whatever is under way settles it again when it is done.
    if (!workload || tracked_[item].busy || !workloads_.reached(tracked_[item].awaited)) co_return Worked::kLater;
    queue::LifecyclePlan plan = queue::decide_lifecycle(*workload, surroundings(*workload));
    if (plan.wake_at) lifecycle_.add_after(name, *plan.wake_at - loop_.now());
    if (!plan.status && !plan.deactivate) co_return Worked::kLater;
    const auto draft = std::make_shared<Workload>(*workload);
    if (plan.status)
        draft->status = std::move(*plan.status);
    else
        draft->spec.active = false;
    Told told;
    told.what = Told::What::kLifecycle;
    told.reason = plan.note_reason;
    told.message = plan.note;
    told.evicted_for = plan.evicted_for;
    tracked_[item].busy = true;
    ++writing_;
    co_await store(item, workload, draft, plan.deactivate && !plan.status,
                   std::make_shared<const Told>(std::move(told)));
    co_return Worked::kLater;
}

void AdmissionController::arm_explaining() {
    if (explain_timer_ != 0 || waiting_ == 0) return;
    explain_timer_ = loop_.after(options_.explain_after, [this] {
        explain_timer_ = 0;
        explain_some();
        arm_explaining();
    });
}

void AdmissionController::explain_some() {
    std::size_t explained = 0;
    const std::size_t all = tracked_.size();
    for (std::size_t looked = 0; looked < all && explained < kExplainAtOnce; ++looked) {
        if (explain_next_ >= all) explain_next_ = 0;
        if (explain_one(explain_next_++)) ++explained;
    }
}

bool AdmissionController::explain_one(ItemId item) {
    Tracked& tracked = tracked_[item];
    if ((tracked.phase != Phase::kPending && tracked.phase != Phase::kInadmissible) || tracked.busy) return false;
    const Instant now = loop_.now();
    if (now - tracked.waiting_since < options_.explain_after) return false;
    const bool queued = tracked.phase == Phase::kPending;
    const bool blocked = queued && is_blocked();
    const Text reason = blocked  ? Text(reason_of(Word::kWaitsForPodsReady))
                        : queued ? Text(engine_.why_reason(item))
                                 : tracked.obstacle_reason;
    // Numbers in it change all the time; another reason is told soon.
    if (reason == tracked.explained_reason && now - tracked.explained_at < options_.explain_every) return false;
    const WorkloadRef workload = workloads_.get(tracked.name);
    if (!workload || !workloads_.reached(tracked.awaited) || writing_ >= options_.writes_at_once_max) return false;
    const std::string message = blocked  ? say(Word::kWaitsForPodsReady)
                                : queued ? engine_.why(item)
                                         : tracked.obstacle.str();
    if (message.empty()) return false;
    tracked.explained_at = now;
    tracked.explained_reason = reason;
    const auto* old = find_condition(workload->status, kueue::kWorkloadQuotaReserved);
    const auto requests = queue::requests_of(*workload, pod_rules(tracked.name.namespace_));
    if (old && old->reason == reason && old->message == message && workload->status.resource_requests == requests)
        return true;
    const auto draft = std::make_shared<Workload>(*workload);
    draft->status.resource_requests = requests;
    set_condition(draft->status, kueue::kWorkloadQuotaReserved, false, reason, message, draft->metadata.generation,
                  now);
    Told told;
    told.what = Told::What::kExplanation;
    // People are told once, and again when the reason is another.
    if (!old || !(old->reason == reason)) {
        told.reason = reason;
        told.message = message;
    }
    tracked.busy = true;
    ++writing_;
    tasks_.spawn(store(item, workload, draft, false, std::make_shared<const Told>(std::move(told))));
    return true;
}

}  // namespace muster::controllers
