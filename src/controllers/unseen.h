// What a controller has written and its mirrors may not have shown yet. While something is unseen, nothing is decided:
// so a decision never sees a world older than the controller's own writes. When versions go back
// (client/mirror_source.h), everything is forgotten.
#pragma once

#include <algorithm>
#include <vector>

#include "client/mirror.h"

namespace muster::controllers {

template <class K>
class Unseen {
public:
    explicit Unseen(std::uint64_t epoch = 0) : epoch_(epoch) {}

    // As the server answered it.
    void wrote(const K& object) {
        // One that may have gone with the write has no further version of its own: what the write did has to be seen.
        if (object.metadata.deletion_timestamp && object.metadata.finalizers.empty()) return released(object);
        version_ = std::max(version_, client::parse_version(object.metadata.resource_version));
    }
    // The same of a new object.
    void created(const K& object) {
        wrote(object);
        creations_.push_back(client::parse_version(object.metadata.resource_version));
    }
    // It is on its way, or gone.
    void removed(const K& object) { leaving_.push_back({client::name_of(object), object.metadata.uid, false}); }
    // It is gone, or there without a finalizer; that it is on its way may have been seen long before.
    void released(const K& object) { leaving_.push_back({client::name_of(object), object.metadata.uid, true}); }

    bool seen_in(const client::Mirror<K>& mirror) {
        if (mirror.epoch() != epoch_) *this = Unseen(mirror.epoch());
        std::erase_if(leaving_, [&](const Leaving& one) {
            const client::Ref<K> object = mirror.get(one.name);
            if (!object || !(object->metadata.uid == one.uid)) return true;
            return one.released ? object->metadata.finalizers.empty() : object->metadata.deletion_timestamp.has_value();
        });
        if (!leaving_.empty() || !mirror.reached(version_)) return false;
        creations_.clear();
        return true;
    }
    // How many new objects the mirror does not show yet.
    std::size_t count_unseen_creations(const client::Mirror<K>& mirror) {
        if (mirror.epoch() != epoch_) *this = Unseen(mirror.epoch());
        std::erase_if(creations_, [&](std::uint64_t version) { return mirror.reached(version); });
        return creations_.size();
    }

    // What is awaited, for people: "pods up to version 17 and 2 to go"; empty when it is nothing.
    std::string awaited(std::string_view what) const {
        const bool behind = version_ != 0;
        if (!behind && leaving_.empty()) return {};
        std::string out(what);
        if (behind) out += " up to version " + std::to_string(version_);
        if (!leaving_.empty()) out += (behind ? " and " : ": ") + std::to_string(leaving_.size()) + " to go";
        return out;
    }

private:
    struct Leaving {
        client::ObjectName name;
        Text uid;
        bool released;
    };
    std::uint64_t epoch_;
    std::uint64_t version_ = 0;
    std::vector<Leaving> leaving_;
    std::vector<std::uint64_t> creations_;
};

}  // namespace muster::controllers
