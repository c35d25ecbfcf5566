// How every journal turns the records that it finds into objects: in the order in which they come, but for objects of
// kinds that the codec does not know yet, which come last. A kind's definition is itself a stored object, and its key
// may be behind those of the objects that it defines.
#pragma once

#include <string>
#include <vector>

#include "store/journal.h"

namespace muster::store {

class Recovery {
public:
    // All must outlive it.
    Recovery(Codec& codec, PartSource& parts, const Journal::Each& each) : codec_(codec), parts_(parts), each_(each) {}

    // The bytes are both halves, one after the other.
    Result<> add(std::string_view key, Revision revision, Revision base, std::string_view bytes);
    // To be called once, after the last record.
    Result<> finish();

private:
    struct Left {
        Text key;
        Revision revision;
        Revision base;
        std::string bytes;
    };
    Codec& codec_;
    PartSource& parts_;
    const Journal::Each& each_;
    std::vector<Left> left_;
};

}  // namespace muster::store
