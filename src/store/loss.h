// Whether a store has lost writes that were acknowledged, and where it goes on when its operator accepts that. Pure:
// the journal on RocksDB asks with what it found on disk, and the simulator's journal with what its disk has.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "store/data_directory.h"
#include "store/durable_record.h"
#include "store/record.h"

namespace muster::store {

struct LossFacts {
    GroupMark found;                            // the newest group that can be read
    Result<std::optional<DurableMark>> record;  // what was acknowledged; kCorrupt when the record is damaged
    LogMarks logs;
};

// Nothing when all that was acknowledged is there. When writes are gone, or may be, and exactly that is accepted: the
// newest that was begun. Else kCorrupt, telling what is gone from `directory` and how to go on without it.
Result<std::optional<DurableMark>> decide_loss(const std::string& directory, const LossFacts& facts,
                                               std::optional<Revision> accept_loss_from);
// The mark from which a store goes on that has lost writes up to this one: no revision that was given is given again.
DurableMark mark_behind(const DurableMark& lost);

}  // namespace muster::store
