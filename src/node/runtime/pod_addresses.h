// The addresses of pods: which pod has which, so that no two have the same.
#pragma once

#include <cstdint>
#include <set>

#include "base/text.h"

namespace muster::node {

class PodAddresses {
public:
    virtual ~PodAddresses() = default;
    // For a new pod. Empty when the runtime knows it only with the pod's first run: the run's record then has it.
    virtual Text give() = 0;
    // A pod has this address already.
    virtual void keep(const Text& address) = 0;
    // The pod is gone.
    virtual void take_back(const Text& address) = 0;
};

// In 127.64.0.0/10: loopback, and rarely used by other programs.
class LoopbackAddresses final : public PodAddresses {
public:
    // Up to `count` pods have one; further pods have none.
    explicit LoopbackAddresses(std::uint32_t count = 0x3fffff) : count_(count) {}
    Text give() override;
    void keep(const Text& address) override { used_.insert(address); }
    void take_back(const Text& address) override { used_.erase(address); }

private:
    const std::uint32_t count_;
    std::uint32_t last_ = 0;
    std::set<Text> used_;
};

}  // namespace muster::node
