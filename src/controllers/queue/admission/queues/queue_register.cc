#include "controllers/queue/admission/queues/queue_register.h"

#include <utility>

#include "base/check.h"
#include "controllers/queue/admission/engine/translate.h"

namespace muster::controllers::queue {
namespace {

template <class K>
Meaning meaning_of(const K& object) {
    return {object.metadata.uid, object.metadata.generation};
}

// Replaces what is known by what is there now: `set` for what is new or edited, `remove` for what is gone.
template <class K, class Set, class Remove>
void replace_known(std::map<Text, Meaning>& known, const std::vector<client::Ref<K>>& now, const Set& set,
                   const Remove& remove) {
    std::map<Text, Meaning> before = std::exchange(known, {});
    for (const client::Ref<K>& one : now) {
        const Text& name = one->metadata.name;
        const auto old = before.find(name);
        if (old == before.end() || !(old->second == meaning_of(*one))) set(*one);
        known.emplace(name, meaning_of(*one));
        before.erase(name);
    }
    for (const auto& [name, meaning] : before) remove(name);
}

}  // namespace

void QueueRegister::refresh_flavors(const QueueObjectsNow& now) {
    replace_known(
        flavors_, now.flavors, [this](const auto& one) { engine_.set_flavor(one.metadata.name, flavor_of(one)); },
        [this](const Text& name) { engine_.remove_flavor(name); });
}

void QueueRegister::refresh_cohorts(const QueueObjectsNow& now) {
    replace_known(
        cohorts_, now.cohorts, [this](const auto& one) { engine_.set_cohort(cohort_of(one, engine_.names())); },
        [this](const Text& name) { engine_.remove_cohort(name); });
}

QueueChanges QueueRegister::refresh(const QueueObjectsNow& now) {
    refresh_flavors(now);
    refresh_cohorts(now);
    QueueChanges changes;
    std::map<Text, QueueInfo> before = std::exchange(infos_, {});
    for (const auto& [name, info] : before) changes.gone.insert(name);
    for (const auto& one : now.cluster_queues) {
        changes.gone.erase(one->metadata.name);
        const auto old = before.find(one->metadata.name);
        // Those that were inactive may not be any more.
        if (old == before.end() || !(old->second.meaning == meaning_of(*one)) || !old->second.activity.active)
            engine_.set_queue(queue_of(*one, engine_.names()));
    }
    for (const Text& name : changes.gone) engine_.remove_queue(name);
    // Circles show only when all queues and cohorts are there.
    std::vector<bool> cyclic;
    cyclic.reserve(now.cluster_queues.size());
    for (const auto& one : now.cluster_queues) cyclic.push_back(engine_.in_cycle(one->metadata.name));
    QueueNeeds needs;
    needs.has_flavor = [this](const Text& name) { return flavors_.contains(name); };
    needs.check_active = now.check_active;
    for (std::size_t i = 0; i < now.cluster_queues.size(); ++i) {
        const ClusterQueue& one = *now.cluster_queues[i];
        const auto old = before.find(one.metadata.name);
        needs.in_cycle = cyclic[i];
        if (note_activity(one, needs, old == before.end() ? nullptr : &old->second))
            changes.changed.insert(one.metadata.name);
    }
    CHECK(infos_.size() == now.cluster_queues.size(), "two ClusterQueues of one name");
    return changes;
}

bool QueueRegister::note_activity(const ClusterQueue& queue, const QueueNeeds& needs, QueueInfo* before) {
    QueueInfo& info = infos_[queue.metadata.name];
    info.meaning = meaning_of(queue);
    info.activity = find_activity(queue, needs);
    if (before && before->meaning == info.meaning) {
        info.namespaces = std::move(before->namespaces);
    } else {
        auto selector =
            api::LabelSelector::from(queue.spec.namespace_selector ? &*queue.spec.namespace_selector : nullptr);
        if (selector.ok()) info.namespaces = std::move(*selector);
    }
    if (!info.activity.active) {
        QueueSpec spec = queue_of(queue, engine_.names());
        spec.admits = false;
        engine_.set_queue(std::move(spec));
    }
    return !before || !(before->meaning == info.meaning) || !(before->activity == info.activity);
}

const QueueInfo* QueueRegister::find(const Text& cluster_queue) const {
    const auto found = infos_.find(cluster_queue);
    return found == infos_.end() ? nullptr : &found->second;
}

}  // namespace muster::controllers::queue
