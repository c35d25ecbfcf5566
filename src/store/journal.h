// Where writes become durable. The store hands over groups of changes, one at a time and in order; the journal puts a
// group on disk whole or not at all. RocksDB is behind it in the product, memory that can forget in the simulator.
#pragma once

#include <functional>
#include <vector>

#include "base/text.h"
#include "os/loop/work.h"
#include "store/object.h"

namespace muster::store {

// The newest state of one key in a group.
struct Change {
    Text key;
    Revision revision;
    Revision replaces;  // the revision the key had before this group; 0: there was none
    Revision base;     // 0: both halves are new; else only the status is, and the own half was written at this revision
    ObjectPtr object;  // null: the key was removed
    std::size_t bytes = 0;  // of the object
};

struct Group {
    std::vector<Change> changes;
    Revision revision = 0;  // everything up to here is in this group or an earlier one
    Revision newest = 0;    // the newest revision when the group was handed over
};

// One key as it was when the last durable group was written.
struct Recovered {
    Text key;
    Revision revision;
    Revision base;  // when its own half was written
    ObjectPtr object;
};

class Journal {
public:
    using Each = std::function<void(Recovered recovered)>;

    virtual ~Journal() = default;

    // Gives back every object, in key order, those that the codec leaves for last behind all others, and the revision
    // of the last durable group. To be called once, before anything else. kCorrupt: what is on disk is not what was
    // written; the message names the file or the key.
    virtual Result<Revision> recover(Codec& codec, const Each& each) = 0;
    // Runs `durable` on the loop when the group is on disk. One group at a time. A journal that cannot write any more
    // ends the process and never calls back.
    virtual void commit(Group group, os::Work durable) = 0;
};

}  // namespace muster::store
