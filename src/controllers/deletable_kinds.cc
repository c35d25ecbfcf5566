#include "controllers/deletable_kinds.h"

#include <algorithm>

#include "api/kinds/kind_list.h"

namespace muster::controllers {
namespace {

std::vector<const api::KindInfo*> stored_kinds(bool api::KindOptions::*property) {
    std::vector<const api::KindInfo*> kinds;
    api::for_each_kind<api::StoredKinds>([&]<class K>() {
        if (K::kKindOptions.*property) kinds.push_back(&api::kind_info<K>());
    });
    const auto turn = [](const api::KindInfo* kind) {
        return kind->options.removed_first ? 0 : kind->options.has_owners ? 1 : 2;
    };
    std::stable_sort(kinds.begin(), kinds.end(), [&](const auto* a, const auto* b) { return turn(a) < turn(b); });
    return kinds;
}

}  // namespace

std::vector<const api::KindInfo*> owning_kinds() { return stored_kinds(&api::KindOptions::has_owners); }

std::vector<const api::KindInfo*> namespaced_kinds() { return stored_kinds(&api::KindOptions::namespaced); }

}  // namespace muster::controllers
