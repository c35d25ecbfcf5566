#include "controllers/queue/admission/engine/engine.h"

#include <algorithm>

#include "api/codec/encode.h"
#include "base/check.h"
#include "controllers/queue/admission/engine/round.h"

namespace muster::controllers::queue {
namespace {

void append_number(std::string& out, std::int64_t number) {
    out += std::to_string(number);
    out += ' ';
}
void append_word(std::string& out, std::string_view word) {
    append_number(out, static_cast<std::int64_t>(word.size()));
    out += word;
}

std::string shape_key(const Shape& shape) {
    std::string out;
    for (const PodSetShape& pods : shape.pod_sets) {
        append_word(out, pods.name);
        append_number(out, pods.count);
        append_number(out, pods.min_count);
        append_number(out, static_cast<std::int64_t>(pods.per_pod.size()));
        for (const auto& [resource, amount] : pods.per_pod) {
            append_word(out, resource);
            append_number(out, amount);
        }
        append_number(out, static_cast<std::int64_t>(pods.placement.node_selector.size()));
        for (const auto& [key, value] : pods.placement.node_selector) {
            append_word(out, key);
            append_word(out, value);
        }
        if (pods.placement.required) append_word(out, api::to_json(*pods.placement.required));
        out += '/';
        for (const auto& toleration : pods.placement.tolerations) append_word(out, api::to_json(toleration));
        out += '\n';
    }
    return out;
}

}  // namespace

void Engine::set_flavor(const Text& name, Flavor flavor) {
    state_.flavors[state_.names.flavor(name)] = std::move(flavor);
    state_.mismatches.clear();
    tree_stale_ = true;
}

void Engine::remove_flavor(const Text& name) {
    const FlavorId* found = state_.names.find_flavor(name);
    if (!found) return;
    state_.flavors.erase(*found);
    state_.mismatches.clear();
    tree_stale_ = true;
}

void Engine::set_cohort(CohortSpec cohort) {
    const Text name = cohort.name;
    cohorts_[name] = std::move(cohort);
    tree_stale_ = true;
}

void Engine::remove_cohort(const Text& name) {
    cohorts_.erase(name);
    tree_stale_ = true;
}

QueueId Engine::queue_id(const Text& name) {
    const auto [found, is_new] = queue_ids_.try_emplace(name, 0);
    if (!is_new) return found->second;
    if (free_queues_.empty()) {
        free_queues_.push_back(static_cast<QueueId>(state_.queues.size()));
        state_.queues.push_back(std::make_unique<Queue>());
    }
    found->second = free_queues_.back();
    free_queues_.pop_back();
    state_.queues[found->second]->spec.name = name;
    return found->second;
}

const Queue* Engine::find_queue(const Text& name) const {
    const auto found = queue_ids_.find(name);
    return found == queue_ids_.end() ? nullptr : state_.queues[found->second].get();
}

void Engine::drop_unused(QueueId id) {
    Queue& queue = *state_.queues[id];
    if (queue.exists || queue.pending != 0 || !queue.holders.empty()) return;
    CHECK(queue.claims.empty() && queue.evicting.empty(), "quota of a queue without workloads");
    queue_ids_.erase(queue.spec.name);
    queue = Queue{};
    free_queues_.push_back(id);
}

void Engine::set_queue(QueueSpec spec) {
    Queue& queue = *state_.queues[queue_id(spec.name)];
    queue.spec = std::move(spec);
    queue.exists = true;
    tree_stale_ = true;
}

void Engine::remove_queue(const Text& name) {
    const auto found = queue_ids_.find(name);
    if (found == queue_ids_.end()) return;
    state_.queues[found->second]->exists = false;
    tree_stale_ = true;
    drop_unused(found->second);
}

bool Engine::in_cycle(const Text& name) {
    if (tree_stale_) rebuild();
    const Queue* queue = find_queue(name);
    return queue && queue->exists && !queue->node;
}

ShapeId Engine::add_shape(Shape shape) {
    const auto [found, is_new] = shape_ids_.try_emplace(shape_key(shape), 0);
    if (!is_new) return found->second;
    if (free_shapes_.empty()) {
        free_shapes_.push_back(static_cast<ShapeId>(state_.shapes.size()));
        state_.shapes.emplace_back();
        shape_uses_.emplace_back();
    }
    found->second = free_shapes_.back();
    free_shapes_.pop_back();
    state_.shapes[found->second] = std::make_shared<const Shape>(std::move(shape));
    shape_uses_[found->second] = {found, 0};
    return found->second;
}

void Engine::drop_shape(ShapeId shape) {
    CHECK(shape_uses_[shape].waiters > 0, "a shape that no workload has");
    if (--shape_uses_[shape].waiters > 0) return;
    shape_ids_.erase(shape_uses_[shape].key);
    state_.shapes[shape].reset();
    state_.mismatches.erase(state_.mismatches.lower_bound({shape, 0, 0}),
                            state_.mismatches.lower_bound({shape + 1, 0, 0}));
    free_shapes_.push_back(shape);
}

ItemId Engine::add_item() {
    ItemId id = static_cast<ItemId>(state_.items.size());
    if (free_.empty()) {
        state_.items.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    CHECK(state_.items[id].state == ItemState::kFree, "a number that is in use");
    state_.items[id] = Item{};
    state_.items[id].state = ItemState::kKnown;
    return id;
}

void Engine::forget_place(ItemId id) {
    Item& item = state_.items[id];
    Queue& queue = queue_of(item);
    if (item.state == ItemState::kPending) {
        const auto bucket = queue.buckets.find({item.priority, item.shape});
        CHECK(bucket != queue.buckets.end() && queue.pending > 0, "a workload waits where it is not known");
        CHECK(bucket->second.waiting.erase({item.ordered_at, item.uid, id}) == 1, "a workload leaves its queue twice");
        if (bucket->second.waiting.empty()) queue.buckets.erase(bucket);
        queue.claims.erase(id);
        --queue.pending;
        drop_shape(item.shape);
        // Workloads that waited behind it may be admitted now.
        touch(item.queue);
    } else if (item.state == ItemState::kHolding) {
        CHECK(queue.holders.erase({item.priority, item.reserved_at, item.uid, id}) == 1,
              "a workload gives back its quota twice");
        queue.evicting.erase(id);
        if (queue.node && !tree_stale_) state_.tree.add_usage(*queue.node, item.usage, View::kNow, -1);
        item.usage.clear();
        touch(item.queue);
    }
    item.state = ItemState::kKnown;
    item.evicting = false;
    drop_unused(item.queue);
}

void Engine::set_pending(ItemId id, Waiter waiter) {
    Item& item = state_.items[id];
    CHECK(item.state != ItemState::kFree, "a workload without a number");
    CHECK(waiter.shape < state_.shapes.size() && state_.shapes[waiter.shape], "a workload without a shape");
    if (item.state == ItemState::kPending && &queue_of(item) == find_queue(waiter.queue) &&
        item.shape == waiter.shape && item.priority == waiter.priority && item.ordered_at == waiter.ordered_at)
        return;
    // It was preempted and has stopped, or its admission could not be stored.
    const bool returns = item.state == ItemState::kHolding && &queue_of(item) == find_queue(waiter.queue) &&
                         item.priority == waiter.priority;
    if (item.state != ItemState::kKnown && !returns) {
        state_.history.forget(id);
        note_change(item.queue);
    }
    ++shape_uses_[waiter.shape].waiters;  // before the old one goes, which may be the same
    if (item.state != ItemState::kKnown) forget_place(id);
    const QueueId queue_number = queue_id(waiter.queue);
    Queue& queue = *state_.queues[queue_number];
    item.queue = queue_number;
    item.uid = std::move(waiter.uid);
    item.priority = waiter.priority;
    item.ordered_at = waiter.ordered_at;
    item.shape = waiter.shape;
    item.state = ItemState::kPending;
    queue.buckets[{item.priority, item.shape}].waiting.insert({item.ordered_at, item.uid, id});
    ++queue.pending;
    touch(queue_number);
    if (!returns) note_change(queue_number);
}

void Engine::set_holding(ItemId id, Holder holder) {
    Item& item = state_.items[id];
    CHECK(item.state != ItemState::kFree, "a workload without a number");
    // Keep our own time of the reservation: the stored time has only whole seconds.
    if (item.state == ItemState::kHolding && &queue_of(item) == find_queue(holder.queue) &&
        item.priority == holder.priority && item.evicting == holder.evicting && item.usage == holder.usage)
        return;
    if (item.state != ItemState::kKnown) {
        if (&queue_of(item) != find_queue(holder.queue) || item.priority != holder.priority) state_.history.forget(id);
        note_change(item.queue);
        forget_place(id);
    }
    const QueueId queue_number = queue_id(holder.queue);
    Queue& queue = *state_.queues[queue_number];
    item.queue = queue_number;
    item.uid = std::move(holder.uid);
    item.priority = holder.priority;
    item.ordered_at = holder.ordered_at;
    item.reserved_at = holder.reserved_at;
    item.usage = std::move(holder.usage);
    item.evicting = holder.evicting;
    item.state = ItemState::kHolding;
    queue.holders.insert({item.priority, item.reserved_at, item.uid, id});
    if (item.evicting) queue.evicting.insert(id);
    if (queue.node && !tree_stale_) state_.tree.add_usage(*queue.node, item.usage, View::kNow, 1);
    touch(queue_number);
    note_change(queue_number);
}

void Engine::set_idle(ItemId item) {
    if (state_.items[item].state == ItemState::kKnown) return;
    note_change(state_.items[item].queue);
    forget_place(item);
}

void Engine::set_over(ItemId item) {
    set_idle(item);
    state_.history.forget(item);
}

void Engine::remove_item(ItemId item) {
    CHECK(state_.items[item].state != ItemState::kFree, "a workload is removed twice");
    set_over(item);
    state_.items[item] = Item{};
    free_.push_back(item);
}

void Engine::touch(QueueId queue) {
    if (!tree_stale_ && state_.queues[queue]->node) dirty_.insert(state_.tree.root(*state_.queues[queue]->node));
}

void Engine::note_change(QueueId queue) {
    if (!tree_stale_ && state_.queues[queue]->node)
        state_.history.note_change(state_.tree.root(*state_.queues[queue]->node));
}

void Engine::rebuild() {
    tree_stale_ = false;
    state_.history.forget_all();
    std::vector<NodeSpec> nodes;
    cohort_nodes_.clear();
    const auto cohort_node = [&](const Text& name) {
        const auto [found, is_new] = cohort_nodes_.try_emplace(name, static_cast<NodeId>(nodes.size()));
        if (is_new) nodes.emplace_back();
        return found->second;
    };
    for (const auto& [name, cohort] : cohorts_) {
        const NodeId node = cohort_node(name);
        nodes[node].quotas = cohort.quotas;
        nodes[node].weight = cohort.weight;
        if (cohort.parent.empty()) continue;
        const NodeId parent = cohort_node(cohort.parent);
        nodes[node].parent = parent;
    }
    for (const auto& [name, id] : queue_ids_) {
        Queue& queue = *state_.queues[id];
        queue.node.reset();
        if (!queue.exists) continue;
        NodeSpec spec;
        spec.is_queue = true;
        spec.weight = queue.spec.weight;
        spec.quotas = queue.spec.quotas;
        if (!queue.spec.cohort.empty()) spec.parent = cohort_node(queue.spec.cohort);
        queue.node = static_cast<NodeId>(nodes.size());
        nodes.push_back(std::move(spec));
    }
    const std::vector<bool> cyclic = find_cycles(nodes);
    for (NodeId node = 0; node < nodes.size(); ++node)
        if (cyclic[node]) nodes[node].parent.reset();
    state_.tree = QuotaTree(nodes);
    state_.queue_of_node.assign(nodes.size(), std::nullopt);
    queues_of_root_.clear();
    dirty_.clear();
    later_.clear();
    for (const auto& [name, id] : queue_ids_) {
        Queue& queue = *state_.queues[id];
        for (auto& [item, claim] : queue.claims) claim.stale = true;
        if (queue.node && cyclic[*queue.node]) queue.node.reset();
        if (!queue.node) continue;
        state_.queue_of_node[*queue.node] = id;
        const NodeId root = state_.tree.root(*queue.node);
        queues_of_root_[root].push_back(id);
        dirty_.insert(root);
        for (const HolderKey& holder : queue.holders)
            state_.tree.add_usage(*queue.node, state_.items[holder.item].usage, View::kNow, 1);
    }
}

Plan Engine::decide(Instant now, std::size_t admissions_max) {
    if (tree_stale_) rebuild();
    for (; !later_.empty() && later_.begin()->first <= now; later_.erase(later_.begin()))
        dirty_.insert(later_.begin()->second);
    Plan plan;
    while (!dirty_.empty() && plan.admit.size() < admissions_max) {
        const NodeId root = *dirty_.begin();
        state_.look_again_at.reset();
        if (!Round(state_, root, queues_of_root_[root], now, admissions_max, plan).run()) break;
        dirty_.erase(root);
        std::erase_if(later_, [root](const auto& entry) { return entry.second == root; });
        if (state_.look_again_at) later_.emplace(*state_.look_again_at, root);
    }
    for (const Admit& admit : plan.admit) {
        CHECK(state_.items[admit.item].state == ItemState::kHolding, "an admission without quota");
        state_.items[admit.item].admitted_now = false;
        // It is a waiter no longer.
        drop_shape(state_.items[admit.item].shape);
    }
    return plan;
}

void Engine::note_preempted(ItemId item, Instant at) {
    std::vector<Instant>& times = state_.items[item].preempted_at;
    times.push_back(at);
    if (times.size() > static_cast<std::size_t>(kPreemptionsMax)) times.erase(times.begin());
}

const Bucket* Engine::bucket_of(ItemId id) const {
    const Item& item = state_.items[id];
    if (item.state != ItemState::kPending) return nullptr;
    const Queue& queue = *state_.queues[item.queue];
    const auto found = queue.buckets.find({item.priority, item.shape});
    return found == queue.buckets.end() ? nullptr : &found->second;
}

std::string Engine::why(ItemId id) const {
    const Bucket* bucket = bucket_of(id);
    if (!bucket || bucket->why.empty()) return {};
    return explain(bucket->why, *state_.shapes[state_.items[id].shape], state_.names);
}

const char* Engine::why_reason(ItemId id) const {
    const Bucket* bucket = bucket_of(id);
    return reason_of(bucket ? bucket->why : std::vector<Obstruction>());
}

std::size_t Engine::pending(const Text& queue) const {
    const auto found = queue_ids_.find(queue);
    return found == queue_ids_.end() ? 0 : state_.queues[found->second]->pending;
}

Amount Engine::used(const Text& queue, Slot slot) {
    if (tree_stale_) rebuild();
    const Queue* found = find_queue(queue);
    return found && found->node ? state_.tree.usage(*found->node, slot, View::kNow) : 0;
}

Share Engine::share(const Text& queue) {
    if (tree_stale_) rebuild();
    const Queue* found = find_queue(queue);
    return found && found->node ? state_.tree.share(*found->node, View::kNow) : Share{};
}

Share Engine::cohort_share(const Text& cohort) {
    if (tree_stale_) rebuild();
    const auto found = cohort_nodes_.find(cohort);
    return found == cohort_nodes_.end() ? Share{} : state_.tree.share(found->second, View::kNow);
}

Usage Engine::cohort_quota(const Text& cohort) {
    if (tree_stale_) rebuild();
    Usage out;
    const auto found = cohort_nodes_.find(cohort);
    if (found == cohort_nodes_.end()) return out;
    for (const Slot slot : state_.tree.slots(found->second))
        out.push_back({slot, state_.tree.subtree_quota(found->second, slot)});
    return out;
}

std::vector<Text> Engine::cohorts_above(const Text& name) const {
    std::vector<Text> out;
    const auto found = queue_ids_.find(name);
    if (found == queue_ids_.end()) return out;
    Text cohort = state_.queues[found->second]->spec.cohort;
    // No more than there are cohorts: they may form a circle.
    while (!cohort.empty() && out.size() <= cohorts_.size()) {
        out.push_back(cohort);
        const auto above = cohorts_.find(cohort);
        cohort = above == cohorts_.end() ? Text() : above->second.parent;
    }
    return out;
}

std::string Engine::path(const Text& name) const {
    std::string out = "/" + name.str();
    for (const Text& cohort : cohorts_above(name)) out = "/" + cohort.str() + out;
    return out;
}

}  // namespace muster::controllers::queue
