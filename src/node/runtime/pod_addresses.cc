#include "node/runtime/pod_addresses.h"

#include <string>

namespace muster::node {

Text LoopbackAddresses::give() {
    for (std::uint32_t tries = 0; tries < count_; ++tries) {
        last_ = last_ % count_ + 1;
        Text address = "127." + std::to_string(64 + (last_ >> 16)) + '.' + std::to_string((last_ >> 8) & 255u) + '.' +
                       std::to_string(last_ & 255u);
        if (used_.insert(address).second) return address;
    }
    return {};
}

}  // namespace muster::node
