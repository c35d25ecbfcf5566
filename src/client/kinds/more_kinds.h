// Kinds beside those of api/kinds/kind_list.h whose objects a client reads and writes: kinds that only clusters have.
#pragma once

#include <memory>

#include "api/schema/kind_info.h"

namespace muster::client {

using MakeObject = std::shared_ptr<void> (*)();
void read_kind_with(const api::KindInfo& kind, MakeObject make);
// What makes an object of a kind that was added; CHECKs that it was.
MakeObject maker_of(const api::KindInfo& kind);

// To be called before the first object of the kind is read; a second time is no error. Any thread.
template <class K>
void read_kind() {
    read_kind_with(api::kind_info<K>(), []() -> std::shared_ptr<void> { return std::make_shared<K>(); });
}

}  // namespace muster::client
