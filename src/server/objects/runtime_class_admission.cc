#include "server/objects/runtime_class_admission.h"

#include <vector>

#include "server/objects/objects.h"

namespace muster::server {
namespace {

using api::core::Pod;
using api::core::PodSpec;
using api::core::Toleration;
using api::runtime::RuntimeClass;

constexpr const char* kOverheadDiffers = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

// Whether `wide` tolerates all that `narrow` does.
bool covers(const Toleration& wide, const Toleration& narrow) {
    if (wide == narrow) return true;
    const bool all_keys = wide.key.empty() && wide.operator_ == "Exists";
    if (!(narrow.key == wide.key) && !all_keys) return false;
    if (!(narrow.effect == wide.effect) && !wide.effect.empty()) return false;
    if (wide.effect == "NoExecute" && wide.toleration_seconds &&
        (!narrow.toleration_seconds || *narrow.toleration_seconds > *wide.toleration_seconds))
        return false;
    if (wide.operator_ == "Exists") return true;
    if (!wide.operator_.empty() && !(wide.operator_ == "Equal")) return false;
    return narrow.operator_ == "Equal" && narrow.value == wide.value;
}

bool is_redundant(const std::vector<Toleration>& all, std::size_t at, const List<Toleration>& kept) {
    for (const Toleration& one : kept)
        if (covers(one, all[at])) return true;
    for (std::size_t i = at + 1; i < all.size(); ++i)
        if (!(all[i] == all[at]) && covers(all[i], all[at])) return true;
    return false;
}

Pod* new_pod(const AdmissionRequest& request) {
    const bool concerned = has_type<Pod>(request.kind) && request.operation == Operation::kCreate && request.object &&
                           request.subresource.empty();
    return concerned ? &as<Pod>(*request.object) : nullptr;
}

// Null for pods that name none.
Result<KindObjectPtr> find_class(const AdmissionRequest& request, const Pod& pod, const Objects& objects) {
    if (!pod.spec.runtime_class_name) return KindObjectPtr();
    const Text& name = *pod.spec.runtime_class_name;
    auto found = objects.get({api::kind_info<RuntimeClass>(), "", name});
    if (!found.ok()) return refuse_request(request, "pod rejected: RuntimeClass \"" + name.str() + "\" not found");
    return found;
}

const RuntimeClass& as_runtime_class(const KindObjectPtr& object) { return as<RuntimeClass>(*object); }

}  // namespace

List<Toleration> merge_tolerations(const List<Toleration>& own, const List<Toleration>& more) {
    std::vector<Toleration> all(own.begin(), own.end());
    all.insert(all.end(), more.begin(), more.end());
    List<Toleration> kept;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!is_redundant(all, i, kept)) kept.edit().push_back(all[i]);
    return kept;
}

std::optional<std::string> apply_runtime_class(PodSpec& spec, const RuntimeClass& of) {
    if (of.overhead) {
        if (!spec.overhead.empty() && !(spec.overhead == of.overhead->pod_fixed)) return kOverheadDiffers;
        spec.overhead = of.overhead->pod_fixed;
    }
    if (!of.scheduling) return std::nullopt;
    Map<Text> selector = spec.node_selector;
    for (const auto& [key, value] : of.scheduling->node_selector) {
        const Text* own = selector.find(key);
        if (own && !(*own == value))
            return "conflict: runtimeClass.scheduling.nodeSelector[" + key.str() + "] = " + value.str() +
                   "; pod.spec.nodeSelector[" + key.str() + "] = " + own->str();
        if (!own) selector.set(key, value);
    }
    spec.node_selector = std::move(selector);
    if (!of.scheduling->tolerations.empty())
        spec.tolerations = merge_tolerations(spec.tolerations, of.scheduling->tolerations);
    return std::nullopt;
}

Result<> admit_runtime_class(AdmissionRequest& request, const Objects& objects) {
    Pod* pod = new_pod(request);
    if (!pod || !pod->spec.runtime_class_name) return {};
    TRY_ASSIGN(const KindObjectPtr found, find_class(request, *pod, objects));
    const auto wrong = apply_runtime_class(pod->spec, as_runtime_class(found));
    if (wrong) return refuse_request(request, *wrong);
    return {};
}

Result<> check_runtime_class(AdmissionRequest& request, const Objects& objects) {
    const Pod* pod = new_pod(request);
    if (!pod || (!pod->spec.runtime_class_name && pod->spec.overhead.is_null())) return {};
    TRY_ASSIGN(const KindObjectPtr found, find_class(request, *pod, objects));
    if (found && as_runtime_class(found).overhead) {
        if (pod->spec.overhead == as_runtime_class(found).overhead->pod_fixed) return {};
        return refuse_request(request, kOverheadDiffers);
    }
    if (pod->spec.overhead.is_null()) return {};
    return refuse_request(request,
                          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

}  // namespace muster::server
