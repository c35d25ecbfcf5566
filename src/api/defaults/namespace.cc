#include "api/defaults/namespace.h"

#include <algorithm>

namespace muster::api {
namespace {

using core::Namespace;

constexpr const char* kNameLabel = "kubernetes.io/metadata.name";
constexpr const char* kContentFinalizer = "kubernetes";

}  // namespace

void default_namespace(Namespace& space) {
    const Text& name = space.metadata.name;
    const Text* label = space.metadata.labels.find(kNameLabel);
    if (!name.empty() && (!label || !(*label == name))) space.metadata.labels.set(kNameLabel, name);
    if (space.status.phase.empty()) space.status.phase = "Active";
}

void prepare_namespace_create(Namespace& space) {
    space.status = {};
    space.status.phase = "Active";
    List<Text>& finalizers = space.spec.finalizers;
    if (std::find(finalizers.begin(), finalizers.end(), Text(kContentFinalizer)) == finalizers.end())
        finalizers.edit().push_back(kContentFinalizer);
    // A generated name was not known yet when the defaults were filled.
    default_namespace(space);
}

void prepare_namespace_update(Namespace& space, const Namespace& old) {
    space.spec.finalizers = old.spec.finalizers;
    space.status = old.status;
}

}  // namespace muster::api
