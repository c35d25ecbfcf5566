#include "api/schema/kind_info.h"

#include <atomic>

namespace muster::api {

std::uint32_t next_kind_row() {
    static std::atomic<std::uint32_t> next{KindInfo::kDefinedRows + 1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace muster::api
