// The changes that controllers make to other objects' metadata, as a value: applied in place where the object is at
// hand, sent as a strategic merge patch where it is not. Applying one twice is applying it once.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "base/result.h"

namespace muster::client {

// What coroutines take by value has a constructor: see os/loop/task.h.
struct MetadataPatch {
    MetadataPatch() {}  // NOLINT: an aggregate it must not be
    explicit MetadataPatch(Text of_uid) : uid(std::move(of_uid)) {}

    Text uid;               // kConflict when the object is another; not looked at when empty
    Text resource_version;  // the same
    std::vector<Text> add_finalizers;
    std::vector<Text> remove_finalizers;
    std::vector<api::meta::OwnerReference> add_owners;  // in place of one with the same UID
    std::vector<Text> remove_owners;                    // by UID
    std::vector<std::pair<Text, Text>> set_annotations;
    std::vector<Text> remove_annotations;
    Text flow;  // of the request (client/client.h); empty: not known
};

void apply_metadata_patch(const MetadataPatch& patch, api::meta::ObjectMeta& metadata);

// The body of the strategic merge patch that says the same.
std::string format_metadata_patch(const MetadataPatch& patch);

}  // namespace muster::client
