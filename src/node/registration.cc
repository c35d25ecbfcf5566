#include "node/registration.h"

#include <algorithm>

#include "api/kinds/conditions.h"
#include "client/mirror_source.h"
#include "node/earlier_nodes.h"
#include "os/loop/gather.h"

namespace muster::node {
namespace {

using api::MicroTime;
using api::Quantity;
using api::Time;
using api::coordination::Lease;
using api::core::Node;
using api::core::NodeCondition;
using client::ObjectName;

constexpr const char* kLeaseNamespace = "kube-node-lease";
constexpr Duration kRetry = 1s;
constexpr Duration kSettleRetry = 100ms;
constexpr std::size_t kWritesAtOnce = 256;

void set_node_condition(Node& node, const char* type, bool holds, const char* reason, const char* message,
                        Instant now) {
    const Time at = Time::from_instant(now);
    api::set_condition(node.status.conditions, {type, api::condition_status(holds), reason, message}, at);
    for (NodeCondition& condition : node.status.conditions.edit())
        if (condition.type == type) condition.last_heartbeat_time = at;
}

}  // namespace

Node describe_node(const NodeDescription& description, const Node* before, Instant now, const Pressures& pressures) {
    Node node = before ? *before : Node();
    clear_unreachable(node);
    node.metadata.name = description.name;
    auto& labels = node.metadata.labels;
    labels.set("kubernetes.io/hostname", description.name);
    labels.set("kubernetes.io/os", "linux");
    labels.set("kubernetes.io/arch", description.machine.architecture);
    for (const auto& label : description.labels) labels.set(label.key.view(), label.value);

    auto& status = node.status;
    status.capacity.set("cpu", description.cpu);
    status.capacity.set("memory", description.memory);
    status.capacity.set("ephemeral-storage", description.ephemeral_storage);
    status.capacity.set("pods", Quantity::from_int(description.pods_max));
    status.allocatable = status.capacity;
    status.addresses = List<api::core::NodeAddress>{{.type = "InternalIP", .address = description.host_ip},
                                                    {.type = "Hostname", .address = description.name}};
    auto& info = status.node_info;
    info.machine_id = description.machine.machine_id;
    info.boot_id = description.machine.boot_id;
    info.kernel_version = description.machine.kernel;
    info.os_image = description.machine.system;
    info.operating_system = "linux";
    info.architecture = description.machine.architecture;
    info.container_runtime_version = description.runtime;
    info.kubelet_version = "v1.36.0";
    const bool memory = pressures.memory;
    set_node_condition(
        node, "MemoryPressure", memory, memory ? "KubeletHasInsufficientMemory" : "KubeletHasSufficientMemory",
        memory ? "kubelet has insufficient memory available" : "kubelet has sufficient memory available", now);
    const bool disk = pressures.disk;
    set_node_condition(node, "DiskPressure", disk, disk ? "KubeletHasDiskPressure" : "KubeletHasNoDiskPressure",
                       disk ? "kubelet has disk pressure" : "kubelet has no disk pressure", now);
    const bool processes = pressures.processes;
    set_node_condition(
        node, "PIDPressure", processes, processes ? "KubeletHasInsufficientPID" : "KubeletHasSufficientPID",
        processes ? "kubelet has insufficient PID available" : "kubelet has sufficient PID available", now);
    set_node_condition(node, "Ready", true, "KubeletReady", "kubelet is posting ready status", now);
    return node;
}

Registration::Registration(os::Loop& loop, client::Client& client, std::vector<NodeDescription> nodes,
                           RegistrationOptions options)
    : loop_(loop),
      client_(client),
      nodes_(std::move(nodes)),
      options_(std::move(options)),
      progress_(loop),
      tasks_(loop) {
    CHECK(!nodes_.empty());
    for (const NodeDescription& node : nodes_) by_name_[node.name] = &node;
}

void Registration::start() {
    tasks_.spawn(keep_nodes());
    tasks_.spawn(keep_leases());
}

const NodeDescription* Registration::find(const Text& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

Pressures Registration::look_at_machine() {
    return options_.room ? felt_.take(find_pressures(options_.room()), loop_.uptime()) : Pressures();
}

os::Task<void> Registration::keep_nodes() {
    for (;;) {
        pressures_ = look_at_machine();
        std::vector<os::Task<Result<void>>> writes;
        for (const NodeDescription& node : nodes_) writes.push_back(store_node(&node));
        const auto outcomes = co_await os::gather(loop_, std::move(writes), kWritesAtOnce);
        const bool all = std::all_of(outcomes.begin(), outcomes.end(), [](const auto& each) { return each.ok(); });
        const Duration due = loop_.uptime() + (all ? options_.status_period : kRetry);
        while (loop_.uptime() < due && look_at_machine() == pressures_) {
            const Duration left = due - loop_.uptime();
            co_await os::sleep_for(loop_, options_.room ? std::min(left, options_.lease_period) : left);
        }
    }
}

os::Task<Result<void>> Registration::store_node(const NodeDescription* node) {
    Result<client::Ref<Node>> stored = co_await client_.get<Node>(ObjectName({}, node->name));
    if (!stored.ok() && stored.error().code != Code::kNotFound) co_return stored.error();
    if (!stored.ok()) {
        stored = co_await client_.create<Node>(describe_node(*node, nullptr, loop_.now()));
        if (!stored.ok()) co_return stored.error();
    }
    Node draft = describe_node(*node, stored->get(), loop_.now(), pressures_);
    if (!(draft.metadata.labels == (*stored)->metadata.labels && draft.spec.taints == (*stored)->spec.taints)) {
        const Result<client::Ref<Node>> labelled = co_await client_.change<Node>(*stored, draft);
        if (!labelled.ok()) co_return labelled.error();
        stored = labelled;
        draft = describe_node(*node, stored->get(), loop_.now(), pressures_);
    }
    const Result<client::Ref<Node>> told = co_await client_.change_status<Node>(*stored, std::move(draft));
    if (!told.ok()) co_return told.error();
    co_return Result<void>();
}

os::Task<void> Registration::keep_leases() {
    for (;;) {
        std::vector<os::Task<Result<void>>> writes;
        for (const NodeDescription& node : nodes_) writes.push_back(renew_lease(&node));
        (void)co_await os::gather(loop_, std::move(writes), kWritesAtOnce);
        co_await os::sleep_for(loop_, options_.lease_period);
    }
}

os::Task<Result<void>> Registration::renew_lease(const NodeDescription* node) {
    // Later each time, even when the clock stands still or goes back: the write must be one.
    const std::int64_t micros = std::max(MicroTime::from_instant(loop_.now()).unix_micros(), last_micros_ + 1);
    last_micros_ = micros;
    client::Ref<Lease> known = leases_[node->name];
    if (!known) {
        Lease draft;
        draft.metadata.name = node->name;
        draft.metadata.namespace_ = kLeaseNamespace;
        draft.spec.holder_identity = node->name;
        draft.spec.lease_duration_seconds = options_.lease_seconds;
        draft.spec.renew_time = MicroTime::from_unix_micros(micros);
        const Result<client::Ref<Lease>> made = co_await client_.create<Lease>(std::move(draft));
        if (made.ok()) {
            leases_[node->name] = *made;
            co_return Result<void>();
        }
        if (made.error().code != Code::kAlreadyExists) co_return made.error();
        const Result<client::Ref<Lease>> found = co_await client_.get<Lease>(ObjectName(kLeaseNamespace, node->name));
        if (!found.ok()) co_return found.error();
        known = *found;
    }
    Lease draft = *known;
    draft.spec.holder_identity = node->name;
    draft.spec.lease_duration_seconds = options_.lease_seconds;
    draft.spec.renew_time = MicroTime::from_unix_micros(micros);
    const Result<client::Ref<Lease>> renewed = co_await client_.change<Lease>(known, std::move(draft));
    if (!renewed.ok()) {
        leases_.erase(node->name);
        co_return renewed.error();
    }
    leases_[node->name] = *renewed;
    co_return Result<void>();
}

os::Task<std::uint64_t> Registration::settle() {
    const std::uint64_t mine = ++asked_;
    if (!settling_) {
        settling_ = true;
        tasks_.spawn(settle_all());
    }
    while (settled_ < mine) co_await progress_.wait();
    co_return settled_version_;
}

os::Task<void> Registration::settle_all() {
    while (settled_ < asked_) {
        const std::uint64_t up_to = asked_;
        const Result<void> renewed = co_await renew_lease(&nodes_.front());
        if (renewed.ok()) {
            settled_ = up_to;
            settled_version_ = client::parse_version(leases_[nodes_.front().name]->metadata.resource_version);
            progress_.notify();
        } else {
            co_await os::sleep_for(loop_, kSettleRetry);
        }
    }
    settling_ = false;
}

}  // namespace muster::node
