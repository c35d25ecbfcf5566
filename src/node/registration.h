// The Node objects of this process and their signs of life: made or found at the start, a Lease renewed every ten
// seconds, the status written every five minutes and when the machine comes to run short of something.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/kinds/coordination.h"
#include "api/kinds/core/node.h"
#include "client/client.h"
#include "node/environment/downward.h"
#include "node/pressure.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "os/machine/machine.h"

namespace muster::node {

struct NodeDescription {
    Text name{};
    Text host_ip{};
    api::Quantity cpu{};
    api::Quantity memory{};
    api::Quantity ephemeral_storage{};
    std::int64_t pods_max = 1000;
    os::MachineInfo machine{};
    Text runtime{};  // muster-process://0.1.0
    Map<Text> labels{};
};

// As the API has it; `before` is the object that is there already, or nothing.
api::core::Node describe_node(const NodeDescription& node, const api::core::Node* before, Instant now,
                              const Pressures& pressures = {});

struct RegistrationOptions {
    Duration lease_period = 10s;
    std::int32_t lease_seconds = 40;
    Duration status_period = 300s;
    std::function<os::MachineRoom()> room{};  // of the machine that the nodes are; null: there is always enough
};

class Registration {
public:
    // All must outlive it; destroying it ends the signs of life.
    Registration(os::Loop& loop, client::Client& client, std::vector<NodeDescription> nodes,
                 RegistrationOptions options = {});

    void start();
    const NodeDescription* find(const Text& name) const;
    // Goes on when everything that could be seen at the time of the call is durable: a write of our own, made after
    // it, has been answered. Calls at the same time share one write. Gives the version of that write.
    os::Task<std::uint64_t> settle();

private:
    os::Task<void> keep_nodes();
    // How it is now; nothing is written.
    Pressures look_at_machine();
    os::Task<Result<void>> store_node(const NodeDescription* node);
    os::Task<void> keep_leases();
    os::Task<Result<void>> renew_lease(const NodeDescription* node);
    os::Task<void> settle_all();

    os::Loop& loop_;
    client::Client& client_;
    const std::vector<NodeDescription> nodes_;
    const RegistrationOptions options_;
    std::map<Text, const NodeDescription*> by_name_;
    PressureMemory felt_;
    Pressures pressures_;  // as last told
    std::map<Text, client::Ref<api::coordination::Lease>> leases_;
    std::uint64_t asked_ = 0;
    std::uint64_t settled_ = 0;
    std::uint64_t settled_version_ = 0;
    bool settling_ = false;
    std::int64_t last_micros_ = 0;
    os::Event progress_;
    os::TaskScope tasks_;
};

}  // namespace muster::node
