// One line of a recorded history of a real cluster: {"revision":7,"key":"/registry/pods/default/a","object":{…}}. The
// lines are in the order of revisions, as etcd keeps them; without "object", or with null, the object is gone.
// conformance/cluster/history.py records one from etcd.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/kind_object/kind_object.h"

namespace muster::sim {

struct RecordedChange {
    const api::KindInfo* kind;
    std::string key;  // as our own store has it
    store::Revision revision = 0;
    server::KindObjectPtr object;  // null: it is gone
};

// None for objects that are neither Jobs nor pods. kBadRequest for a line that is no change.
Result<std::optional<RecordedChange>> read_recorded_change(std::string_view line);

}  // namespace muster::sim
