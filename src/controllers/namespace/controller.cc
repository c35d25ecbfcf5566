#include "controllers/namespace/controller.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "client/kinds/kind_source.h"
#include "controllers/deletable_kinds.h"
#include "os/loop/gather.h"

namespace muster::controllers {
namespace {

using api::core::Namespace;
using api::core::Pod;
using api::meta::ObjectMeta;
using View = client::Client::View;

constexpr std::size_t kNamespacesAtOnce = 10;

const api::KindInfo* pod_kind() { return &api::kind_info<Pod>(); }

// Already deleted, without finalizers of the garbage collector: another delete request changes nothing.
bool is_on_its_way(const ObjectMeta& metadata) {
    if (!metadata.deletion_timestamp) return false;
    return std::none_of(metadata.finalizers.begin(), metadata.finalizers.end(), [](const Text& finalizer) {
        return finalizer == "orphan" || finalizer == "foregroundDeletion";
    });
}

void count_metadata(const ObjectMeta& metadata, RemainingContent& left) {
    ++left.count;
    for (const Text& finalizer : metadata.finalizers) ++left.finalizers[finalizer];
}

void count_pod(const Pod& pod, RemainingContent& left) {
    count_metadata(pod.metadata, left);
    if (is_awaited(pod)) ++left.awaited;
    if (has_ended(pod)) return;
    left.grace_seconds = std::max(left.grace_seconds, pod.spec.termination_grace_period_seconds.value_or(0));
}

}  // namespace

NamespaceController::NamespaceController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                         NamespaceOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      mirror_(loop, client),
      reconciler_(loop, client::QueueMetrics(metrics, "namespace"), kNamespacesAtOnce,
                  [this](Text name) { return sync(std::move(name)); }) {}

void NamespaceController::start() {
    mirror_.on_change([this](const NamespaceRef& before, const NamespaceRef& now) {
        if (!now) {
            reconciler_.forget(before->metadata.name);
            return;
        }
        if (!needs_emptying(*now)) return;
        const bool begins = !before || !needs_emptying(*before);
        if (begins) reconciler_.add_after(now->metadata.name, options_.first_delay);
    });
    mirror_.start();
    // The mirror only wakes: each sync reads afresh.
    reconciler_.start();
}

os::Task<Worked> NamespaceController::sync(Text name) {
    const auto namespace_ = co_await client_.get<Namespace>(client::ObjectName("", name));
    if (!namespace_.ok()) co_return namespace_.error().code == Code::kNotFound ? Worked::kDone : Worked::kRetry;
    if (!needs_emptying(**namespace_)) co_return Worked::kDone;
    const Kinds all = kinds();
    const std::vector<RemainingContent> content = co_await empty(*namespace_, all);
    const bool complete = content.size() == all.size();
    const int attempts = reconciler_.recall(name)->attempts++;
    NamespacePlan plan = decide_namespace({**namespace_, content, complete, attempts, loop_.now()});
    co_return co_await carry_out(*namespace_, std::move(plan));
}

os::Task<Worked> NamespaceController::carry_out(NamespaceRef namespace_, NamespacePlan plan) {
    const Text name = namespace_->metadata.name;
    if (plan.status) {
        Namespace draft = *namespace_;
        draft.status = *plan.status;
        auto written = co_await client_.change_status<Namespace>(namespace_, std::move(draft));
        if (!written.ok()) co_return written.error().code == Code::kNotFound ? Worked::kDone : Worked::kRetry;
        namespace_ = *std::move(written);
    }
    if (plan.failed) co_return Worked::kRetry;
    if (plan.again_after) {
        reconciler_.add_after(name, *plan.again_after);
        co_return Worked::kLater;
    }
    if (!plan.finalized) co_return Worked::kDone;
    Namespace draft = *namespace_;
    draft.spec = *plan.finalized;
    const auto finalized =
        co_await client_.change_part<Namespace>(namespace_, std::move(draft), client::Part::kFinalize);
    co_return finalized.ok() || finalized.error().code == Code::kNotFound ? Worked::kDone : Worked::kRetry;
}

NamespaceController::Kinds NamespaceController::kinds() const {
    return options_.kinds.empty() ? namespaced_kinds(client_.kinds().stored()) : options_.kinds;
}

os::Task<std::vector<RemainingContent>> NamespaceController::empty(NamespaceRef namespace_, Kinds kinds) {
    std::vector<RemainingContent> content;
    for (const api::KindInfo* kind : kinds) {
        content.push_back(co_await empty_kind(kind, namespace_));
        const RemainingContent& left = content.back();
        if (kind == pod_kind() && (left.awaited > 0 || left.failure)) break;
    }
    co_return content;
}

os::Task<RemainingContent> NamespaceController::empty_kind(const api::KindInfo* kind, NamespaceRef namespace_) {
    const auto removed = co_await remove_all(kind, namespace_);
    auto counted = co_await count_kind(kind, namespace_->metadata.name.str());
    RemainingContent left;
    if (counted.ok())
        left = *std::move(counted);
    else
        left.failure = counted.error().message;
    if (!removed.ok()) left.failure = removed.error().message;
    left.kind = kind;
    co_return left;
}

os::Task<Result<RemainingContent>> NamespaceController::count_kind(const api::KindInfo* kind, std::string name) {
    RemainingContent left;
    if (kind == pod_kind()) {
        CO_TRY_ASSIGN(const auto pods, co_await client_.list<Pod>(name));
        for (const auto& pod : pods.items) count_pod(*pod, left);
    } else {
        CO_TRY_ASSIGN(const auto listing, co_await client_.list_any(*kind, name, View::kMetadata));
        for (const auto& item : listing.items) count_metadata(*static_cast<const ObjectMeta*>(item.get()), left);
    }
    co_return left;
}

os::Task<Result<void>> NamespaceController::remove_all(const api::KindInfo* kind, NamespaceRef namespace_) {
    CO_TRY_ASSIGN(const auto listing,
                  co_await client_.list_any(*kind, namespace_->metadata.name.str(), View::kMetadata));
    if (listing.items.empty()) co_return Result<void>();
    // Nothing is made in a namespace that is going, so what was listed while it was there is its own. Had the answer to
    // its end been lost, what is listed could be in another of its name.
    CO_TRY(co_await check_still_there(namespace_));
    std::vector<os::Task<Result<void>>> removals;
    for (const auto& item : listing.items) {
        const auto& metadata = *static_cast<const ObjectMeta*>(item.get());
        if (is_on_its_way(metadata)) continue;
        client::Removal removal(metadata.uid);
        removal.propagation = client::Propagation::kBackground;
        removals.push_back(
            client_.remove_any(*kind, client::ObjectName(metadata.namespace_, metadata.name), std::move(removal)));
    }
    const auto removed = co_await os::gather(loop_, std::move(removals), options_.removals_at_once_max);
    for (const auto& each : removed) {
        const bool fine = each.ok() || each.error().code == Code::kNotFound || each.error().code == Code::kConflict;
        if (!fine) co_return each.error();
    }
    co_return Result<void>();
}

os::Task<Result<void>> NamespaceController::check_still_there(NamespaceRef namespace_) {
    CO_TRY_ASSIGN(const auto now, co_await client_.get<Namespace>(client::ObjectName("", namespace_->metadata.name)));
    if (!(now->metadata.uid == namespace_->metadata.uid))
        co_return Error{Code::kConflict, "another namespace of this name was made meanwhile"};
    co_return Result<void>();
}

}  // namespace muster::controllers
