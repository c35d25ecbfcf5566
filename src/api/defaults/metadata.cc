#include "api/defaults/metadata.h"

namespace muster::api {

void prepare_metadata_create(meta::ObjectMeta& metadata) {
    metadata.deletion_timestamp.reset();
    metadata.deletion_grace_period_seconds.reset();
    metadata.self_link = {};
    metadata.resource_version = {};
}

void prepare_metadata_update(meta::ObjectMeta& now, const meta::ObjectMeta& before) {
    now.generation = before.generation;
    if (now.uid.empty()) now.uid = before.uid;
    if (now.resource_version.empty()) now.resource_version = before.resource_version;
    now.creation_timestamp = before.creation_timestamp;
    if (before.deletion_timestamp) now.deletion_timestamp = before.deletion_timestamp;
    if (before.deletion_grace_period_seconds && !now.deletion_grace_period_seconds)
        now.deletion_grace_period_seconds = before.deletion_grace_period_seconds;
    now.self_link = {};
}

}  // namespace muster::api
