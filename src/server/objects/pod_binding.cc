#include "server/objects/pod_binding.h"

#include "api/kinds/conditions.h"
#include "api/validation/pod/pod.h"

namespace muster::server {
namespace {

using api::core::Binding;
using api::core::Pod;

Error refused(std::string_view name, const std::string& why) {
    const std::string pod(name);
    return {Code::kConflict,
            "Operation cannot be fulfilled on pods/binding \"" + pod + "\": pod " + pod + " " + why,
            {},
            {pod, "", "pods/binding"}};
}

}  // namespace

Result<Outcome> bind_stored_pod(Objects& objects, std::string_view namespace_, const Binding& binding, bool dry_run) {
    if (api::FieldErrors errors = api::validate_binding(binding); !errors.empty())
        return invalid_object(api::kind_info<Binding>(), binding.metadata.name, std::move(errors));
    const Place place{api::kind_info<Pod>(), namespace_, binding.metadata.name};
    const auto bind = [&](const KindObjectPtr& before) -> Result<std::shared_ptr<KindObject>> {
        const Pod& stored = as<Pod>(*before);
        if (!binding.metadata.uid.empty() && !(binding.metadata.uid == stored.metadata.uid))
            return conflict(place.kind, place.name,
                            "Precondition failed: UID in precondition: " + binding.metadata.uid.str() +
                                ", UID in object meta: " + stored.metadata.uid.str());
        if (!binding.metadata.resource_version.empty() &&
            !(binding.metadata.resource_version == stored.metadata.resource_version))
            return conflict(place.kind, place.name, "the object has been modified");
        if (stored.metadata.deletion_timestamp)
            return refused(place.name, "is being deleted, cannot be assigned to a host");
        if (!stored.spec.node_name.empty())
            return refused(place.name, "is already assigned to node \"" + stored.spec.node_name.str() + "\"");
        if (!stored.spec.scheduling_gates.empty()) return refused(place.name, "has non-empty .spec.schedulingGates");
        std::shared_ptr<KindObject> bound = make_object(before->kind(), before->data());
        Pod& pod = as<Pod>(*bound);
        pod.spec.node_name = binding.target.name;
        pod.status.nominated_node_name = {};
        for (const auto& [key, value] : binding.metadata.annotations) pod.metadata.annotations.set(key, value);
        for (const auto& [key, value] : binding.metadata.labels) pod.metadata.labels.set(key, value);
        api::set_condition(pod.status.conditions, {"PodScheduled", "True"}, api::Time::from_instant(objects.now()));
        return bound;
    };
    return objects.rewrite(place, bind, dry_run);
}

}  // namespace muster::server
