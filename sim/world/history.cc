#include "sim/world/history.h"

#include <algorithm>

#include "api/kinds/core/config.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/quota.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/kueue/admission_check.h"
#include "api/kinds/kueue/cluster_queue.h"
#include "api/kinds/kueue/cohort.h"
#include "api/kinds/kueue/local_queue.h"
#include "api/kinds/kueue/workload.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "sim/world/server.h"

namespace muster::sim {
namespace {

const std::vector<const api::KindInfo*>& followed_kinds() {
    static const std::vector<const api::KindInfo*> kinds{&api::kind_info<api::batch::Job>(),
                                                         &api::kind_info<api::core::Pod>(),
                                                         &api::kind_info<api::batch::CronJob>(),
                                                         &api::kind_info<api::core::Node>(),
                                                         &api::kind_info<api::kueue::Workload>(),
                                                         &api::kind_info<api::kueue::ClusterQueue>(),
                                                         &api::kind_info<api::kueue::LocalQueue>(),
                                                         &api::kind_info<api::kueue::Cohort>(),
                                                         &api::kind_info<api::kueue::AdmissionCheck>(),
                                                         &api::kind_info<api::kueue::WorkloadPriorityClass>(),
                                                         &api::kind_info<api::core::Namespace>(),
                                                         &api::kind_info<api::core::ServiceAccount>(),
                                                         &api::kind_info<api::core::ConfigMap>(),
                                                         &api::kind_info<api::core::ResourceQuota>()};
    return kinds;
}

server::KindObjectPtr as_object(const store::ObjectPtr& object) {
    return std::static_pointer_cast<const server::KindObject>(object);
}

}  // namespace

History::History(OnChange on_change) : on_change_(std::move(on_change)) {}

std::string History::open(Server& server) {
    server_ = &server;
    store::Store& store = server.store();
    if (store.revision() < told_)
        return "revision " + std::to_string(told_) + " was durable, but the server came back at " +
               std::to_string(store.revision());
    tell_up_to(store.revision());
    waiting_.clear();
    read_ = told_ = store.revision();
    std::size_t found = 0;
    for (const api::KindInfo* kind : followed_kinds()) {
        const std::string prefix = server::list_prefix(*kind, "");
        const store::Listing listing = store.list(prefix).value();
        for (const store::Stored& stored : listing.items) {
            ++found;
            auto known = state_.find(stored.key.str());
            if (taken_as_it_is_ || changes_ == 0) {
                state_[stored.key.str()] = {kind, stored.revision, as_object(stored.object)};
                continue;
            }
            if (known == state_.end()) return stored.key.str() + " is there and was not";
            if (known->second.revision != stored.revision)
                return stored.key.str() + " is at revision " + std::to_string(stored.revision) + " and was at " +
                       std::to_string(known->second.revision);
            if (stored.object->difference_from(*known->second.object) != store::Difference::kNone)
                known->second.object = as_object(stored.object);  // the same in other blocks of memory
            if (!(known->second.object->uid() == stored.object->uid())) return stored.key.str() + " is another object";
        }
        watches_.emplace_back(kind, store.watch(prefix, store.revision(), store::Visibility::kAtOnce).value());
    }
    taken_as_it_is_ = false;
    if (found != state_.size()) return "objects that were durable are gone";
    return {};
}

void History::lose() {
    state_.clear();
    waiting_.clear();
    taken_as_it_is_ = true;
}

void History::forget_after(store::Revision revision) {
    std::erase_if(waiting_, [revision](const Waiting& waiting) { return waiting.event.revision > revision; });
}

void History::go_back() {
    lose();
    read_ = told_ = 0;
}

void History::close() {
    if (!server_) return;
    look();
    watches_.clear();
    server_ = nullptr;
}

void History::look() {
    if (!server_) return;
    const store::Revision newest = server_->store().revision();
    if (newest != read_) {
        read_ = newest;
        const std::size_t before = waiting_.size();
        for (auto& [kind, watch] : watches_)
            while (const store::Event* event = watch->next().value()) waiting_.push_back({kind, *event});
        std::sort(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end(),
                  [](const Waiting& a, const Waiting& b) { return a.event.revision < b.event.revision; });
    }
    const store::Revision durable = server_->store().durable_revision();
    if (durable != told_) tell_up_to(durable);
}

void History::tell_up_to(store::Revision revision) {
    told_ = revision;
    while (!waiting_.empty() && waiting_.front().event.revision <= revision) {
        const Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        tell(next);
    }
}

void History::tell(const Waiting& waiting) {
    const store::Event& event = waiting.event;
    const std::string key = event.key.str();
    tell({waiting.kind, key, event.revision, as_object(event.previous), as_object(event.object)});
}

void History::tell(const Change& change) {
    ++changes_;
    const std::string key(change.key);
    if (change.now)
        state_[key] = {change.kind, change.revision, change.now};
    else
        state_.erase(key);
    on_change_(change);
}

void History::record(const api::KindInfo* kind, const std::string& key, store::Revision revision,
                     server::KindObjectPtr object) {
    const auto known = state_.find(key);
    server::KindObjectPtr before = known == state_.end() ? nullptr : known->second.object;
    if (!before && !object) return;
    tell({kind, key, revision, std::move(before), std::move(object)});
}

}  // namespace muster::sim
