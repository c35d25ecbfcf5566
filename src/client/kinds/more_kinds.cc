#include "client/kinds/more_kinds.h"

#include <map>
#include <mutex>

namespace muster::client {
namespace {

struct AddedKinds {
    std::mutex mutex;  // guards the other
    std::map<const api::KindInfo*, MakeObject> makers;
};
AddedKinds& added_kinds() {
    static AddedKinds added;
    return added;
}

}  // namespace

void read_kind_with(const api::KindInfo& kind, MakeObject make) {
    AddedKinds& added = added_kinds();
    const std::lock_guard lock(added.mutex);
    added.makers[&kind] = make;
}

MakeObject maker_of(const api::KindInfo& kind) {
    AddedKinds& added = added_kinds();
    const std::lock_guard lock(added.mutex);
    const auto found = added.makers.find(&kind);
    CHECK(found != added.makers.end(), kind.kind);
    return found->second;
}

}  // namespace muster::client
