#include "controllers/node.h"

#include <algorithm>
#include <cstdlib>

#include "api/value/time.h"

namespace muster::worlds {
namespace {

using api::core::ContainerStatus;
using api::core::Pod;

void set_pod_condition(Pod& pod, const char* type, const char* value, Instant now) {
    const auto time = api::Time::from_instant(now);
    for (auto& condition : pod.status.conditions.edit()) {
        if (!(condition.type == type)) continue;
        if (!(condition.status == value)) condition.last_transition_time = time;
        condition.status = value;
        return;
    }
    pod.status.conditions.edit().push_back({.type = type, .status = value, .last_transition_time = time});
}

void set_container(Pod& pod, ContainerStatus status) {
    status.name = pod.spec.containers[0].name;
    status.image = pod.spec.containers[0].image;
    pod.status.container_statuses = {std::move(status)};
}

void make_running(Pod& pod, Instant now, int restarts) {
    ContainerStatus status;
    status.state.running.edit().started_at = api::Time::from_instant(now);
    status.ready = true;
    status.restart_count = restarts;
    set_container(pod, std::move(status));
    pod.status.phase = "Running";
    if (!pod.status.start_time) pod.status.start_time = api::Time::from_instant(now);
    set_pod_condition(pod, "Ready", "True", now);
}

void make_ended(Pod& pod, Instant now, bool succeeded, int exit_code) {
    ContainerStatus status;
    auto& terminated = status.state.terminated.edit();
    terminated.exit_code = succeeded ? 0 : exit_code;
    terminated.finished_at = api::Time::from_instant(now);
    if (!pod.status.container_statuses.empty()) status.restart_count = pod.status.container_statuses[0].restart_count;
    set_container(pod, std::move(status));
    pod.status.phase = succeeded ? "Succeeded" : "Failed";
    set_pod_condition(pod, "Ready", "False", now);
}

}  // namespace

const api::meta::OwnerReference* job_of(const Pod& pod) {
    for (const auto& owner : pod.metadata.owner_references)
        if (owner.controller.value_or(false) && owner.kind == "Job") return &owner;
    return nullptr;
}

os::Task<void> Node::follow() {
    const auto listing = co_await client_.list<Pod>("");
    CHECK(listing.ok());
    for (const auto& pod : listing->items) on_pod(pod);
    auto watch = co_await client_.watch<Pod>("", listing->resource_version);
    CHECK(watch.ok());
    for (;;) {
        const auto events = co_await watch->next();
        CHECK(events.ok(), format_error(events.error()));
        for (const auto& event : *events) {
            if (event.type == client::EventType::kDeleted)
                known_.erase(event.object->metadata.uid);
            else
                on_pod(event.object);
        }
    }
}

void Node::on_pod(const client::Ref<Pod>& pod) {
    if (pod->spec.node_name.empty()) return;
    Known& known = known_[pod->metadata.uid];
    if (pod->metadata.deletion_timestamp && !known.stopping) {
        known.stopping = true;
        tasks_.spawn(stop(pod));
    }
    if (known.running || has_ended(*pod)) return;
    known.running = true;
    tasks_.spawn(run(pod));
}

const Ending& Node::ending_of(const Pod& pod) {
    const auto decided = memory_.endings.find(pod.metadata.uid);
    if (decided != memory_.endings.end()) return decided->second;
    PodRun facts;
    const api::meta::OwnerReference* job = job_of(pod);
    const Text job_uid = job ? job->uid : Text();
    if (job) facts.job = job->name.str();
    facts.index = index_of(pod);
    facts.attempt = memory_.attempts[{job_uid, facts.index}]++;
    facts.ordinal = memory_.ordinals[job_uid]++;
    return memory_.endings[pod.metadata.uid] = options_.script(facts);
}

os::Task<void> Node::run(client::Ref<Pod> pod) {
    if (!(pod->status.phase == "Running")) {
        co_await os::sleep_for(loop_, options_.start_delay);
        const Edit start = [this](Pod& edited) { make_running(edited, loop_.now(), 0); };
        if (!co_await edit_status(pod, start)) co_return;
    }
    const Ending ending = ending_of(*pod);
    for (int restarts = 1; restarts <= ending.restarts; ++restarts) {
        co_await os::sleep_for(loop_, ending.after);
        const Edit restart = [this, restarts](Pod& edited) { make_running(edited, loop_.now(), restarts); };
        if (!co_await edit_status(pod, restart)) co_return;
    }
    if (ending.what == Ending::What::kHang) co_return;
    co_await os::sleep_for(loop_, ending.after);
    const Edit end = [this, &ending](Pod& edited) {
        make_ended(edited, loop_.now(), ending.what == Ending::What::kSucceed, ending.exit_code);
        if (!ending.condition.empty()) set_pod_condition(edited, ending.condition.c_str(), "True", loop_.now());
    };
    (void)co_await edit_status(pod, end);
}

os::Task<void> Node::stop(client::Ref<Pod> pod) {
    co_await os::sleep_for(loop_, options_.stop_delay);
    if (options_.ends_deleted_pods) {
        const Edit end = [this](Pod& edited) { make_ended(edited, loop_.now(), false, 137); };
        if (!co_await edit_status(pod, end)) co_return;
    }
    client::Removal removal(pod->metadata.uid);
    removal.grace_seconds = 0;
    (void)co_await client_.remove<Pod>(client::name_of(*pod), std::move(removal));
}

os::Task<bool> Node::edit_status(client::Ref<Pod> pod, Edit edit) {
    for (;;) {
        const auto read = co_await client_.get<Pod>(client::name_of(*pod));
        if (!read.ok() || !((*read)->metadata.uid == pod->metadata.uid)) co_return false;
        if (has_ended(**read)) co_return true;
        Pod draft = **read;
        edit(draft);
        const auto written = co_await client_.change_status<Pod>(*read, std::move(draft));
        if (written.ok()) co_return true;
        CHECK(written.error().code == Code::kConflict || written.error().code == Code::kNotFound,
              format_error(written.error()));
    }
}

}  // namespace muster::worlds
