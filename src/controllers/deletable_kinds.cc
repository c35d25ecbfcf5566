#include "controllers/deletable_kinds.h"

#include <algorithm>
#include <iterator>

namespace muster::controllers {
namespace {

std::vector<const api::KindInfo*> kinds_with(bool api::KindOptions::*property,
                                             const std::vector<const api::KindInfo*>& all) {
    std::vector<const api::KindInfo*> kinds;
    std::copy_if(all.begin(), all.end(), std::back_inserter(kinds),
                 [&](const api::KindInfo* kind) { return kind->options.*property; });
    const auto turn = [](const api::KindInfo* kind) {
        return kind->options.removed_first ? 0 : kind->options.has_owners ? 1 : 2;
    };
    std::stable_sort(kinds.begin(), kinds.end(), [&](const auto* a, const auto* b) { return turn(a) < turn(b); });
    return kinds;
}

}  // namespace

std::vector<const api::KindInfo*> owning_kinds(const std::vector<const api::KindInfo*>& all) {
    return kinds_with(&api::KindOptions::has_owners, all);
}

std::vector<const api::KindInfo*> namespaced_kinds(const std::vector<const api::KindInfo*>& all) {
    return kinds_with(&api::KindOptions::namespaced, all);
}

}  // namespace muster::controllers
