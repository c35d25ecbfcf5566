#include "base/items.h"

namespace muster {
namespace {

constinit ItemHeader no_items;

}  // namespace

ItemHeader* hold_no_items() {
    no_items.holders.fetch_add(1, std::memory_order_relaxed);
    return &no_items;
}

}  // namespace muster
