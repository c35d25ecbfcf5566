// What a controller has written and its mirrors may not have shown yet. While something is unseen, nothing is decided:
// so a decision never sees a world older than the controller's own writes.
#pragma once

#include <algorithm>
#include <vector>

#include "client/mirror.h"

namespace muster::controllers {

template <class K>
class Unseen {
public:
    // As the server answered it.
    void wrote(const K& object) {
        // What went with the write has no further version of its own: its absence has to be seen.
        if (object.metadata.deletion_timestamp && object.metadata.finalizers.empty()) return removed(object);
        version_ = std::max(version_, client::parse_version(object.metadata.resource_version));
    }
    void removed(const K& object) { removed_.push_back({client::name_of(object), object.metadata.uid}); }

    bool seen_in(const client::Mirror<K>& mirror) {
        std::erase_if(removed_, [&](const Removed& one) {
            const client::Ref<K> object = mirror.get(one.name);
            return !object || !(object->metadata.uid == one.uid) || object->metadata.deletion_timestamp;
        });
        return removed_.empty() && mirror.reached(version_);
    }

private:
    struct Removed {
        client::ObjectName name;
        Text uid;
    };
    std::uint64_t version_ = 0;
    std::vector<Removed> removed_;
};

}  // namespace muster::controllers
