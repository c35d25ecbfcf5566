// The bytes that a pod has on disk, as far as limits exist for them.
#pragma once

#include <cstdint>
#include <map>

#include "base/text.h"

namespace muster::node {

struct StorageUse {
    std::map<Text, std::uint64_t> volumes{};     // emptyDirs whose limit the kernel does not enforce, by name
    std::map<Text, std::uint64_t> containers{};  // by name
    std::uint64_t pod = 0;
};

}  // namespace muster::node
