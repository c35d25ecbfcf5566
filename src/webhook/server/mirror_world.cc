#include "webhook/server/mirror_world.h"

#include <algorithm>

#include "client/remote/decode_answer.h"

namespace muster::webhook {
namespace {

using client::AnyObject;
using client::ObjectName;

template <class K>
bool is_kind(const api::KindInfo& kind) {
    return &kind == &api::kind_info<K>();
}

}  // namespace

ReviewMirrors::ReviewMirrors(os::Loop& loop, client::Client& reader)
    : namespaces_(loop, reader),
      jobs_(loop, reader),
      queues_(loop, reader),
      workloads_(loop, reader),
      classes_(loop, reader) {}

void ReviewMirrors::start() {
    namespaces_.start();
    jobs_.start();
    queues_.start();
    workloads_.start();
    classes_.start();
}

bool ReviewMirrors::synced() const {
    return namespaces_.synced() && jobs_.synced() && queues_.synced() && workloads_.synced() && classes_.synced();
}

AnyObject ReviewMirrors::get(const api::KindInfo& kind, const ObjectName& name) const {
    if (is_kind<api::core::Namespace>(kind)) return namespaces_.get(name);
    if (is_kind<api::batch::Job>(kind)) return jobs_.get(name);
    if (is_kind<api::kueue::LocalQueue>(kind)) return queues_.get(name);
    if (is_kind<api::kueue::Workload>(kind)) return workloads_.get(name);
    if (is_kind<api::kueue::WorkloadPriorityClass>(kind)) return classes_.get(name);
    CHECK(false, "a kind that is not mirrored");
    return nullptr;
}

bool ReviewMirrors::has(const api::KindInfo& kind) {
    return is_read_on_a_miss(kind) || is_kind<api::kueue::LocalQueue>(kind) ||
           is_kind<api::kueue::WorkloadPriorityClass>(kind);
}

bool ReviewMirrors::is_read_on_a_miss(const api::KindInfo& kind) {
    return is_kind<api::core::Namespace>(kind) || is_kind<api::batch::Job>(kind) || is_kind<api::kueue::Workload>(kind);
}

const void* MirrorWorld::find_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name,
                                  std::string_view uid) {
    if (!ReviewMirrors::has(kind)) return nullptr;
    const Key key(&kind, std::string(namespace_), std::string(name));
    if (const auto found = read_.find(key); found != read_.end()) return found->second.get();
    const ObjectName full{Text(namespace_), Text(name)};
    AnyObject object = mirrors_.get(kind, full);
    const bool meant = object && (uid.empty() || client::metadata_of(kind, object.get()).uid == uid);
    if (meant || !ReviewMirrors::is_read_on_a_miss(kind)) {
        if (!object) return nullptr;
        kept_.push_back(std::move(object));
        return kept_.back().get();
    }
    const auto same = [&](const Lookup& one) { return one.kind == &kind && one.name == full; };
    if (std::none_of(missing_.begin(), missing_.end(), same)) missing_.push_back({&kind, full});
    return nullptr;
}

std::vector<MirrorWorld::Lookup> MirrorWorld::take_missing() { return std::exchange(missing_, {}); }

void MirrorWorld::add(const Lookup& lookup, AnyObject object) {
    read_.insert_or_assign(Key(lookup.kind, lookup.name.namespace_.str(), lookup.name.name.str()), std::move(object));
}

}  // namespace muster::webhook
