#include "server/objects/image_warning.h"

#include <algorithm>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"

namespace muster::server {
namespace {

using api::core::PodSpec;

constexpr std::size_t kWarningsMax = 8;

// Null for kinds that make no pods.
const PodSpec* find_pod_spec(const AdmissionRequest& request) {
    const void* data = request.object->data();
    if (has_type<api::core::Pod>(request.kind)) return &static_cast<const api::core::Pod*>(data)->spec;
    if (has_type<api::batch::Job>(request.kind)) return &static_cast<const api::batch::Job*>(data)->spec.template_.spec;
    if (has_type<api::batch::CronJob>(request.kind))
        return &static_cast<const api::batch::CronJob*>(data)->spec.job_template.spec.template_.spec;
    return nullptr;
}

bool is_used(const Text& image) { return image.empty() || image == "none" || image.view().starts_with("rootfs:"); }

}  // namespace

Result<> warn_of_images(AdmissionRequest& request, const Objects& /*objects*/) {
    if (request.operation != Operation::kCreate || !request.subresource.empty() || !request.warnings) return {};
    const PodSpec* spec = find_pod_spec(request);
    if (!spec) return {};
    std::vector<Text> told;
    for (const auto* list : {&spec->init_containers, &spec->containers}) {
        for (const auto& container : *list) {
            if (is_used(container.image) || std::find(told.begin(), told.end(), container.image) != told.end())
                continue;
            if (told.size() == kWarningsMax) return {};
            told.push_back(container.image);
            request.warnings->push_back(
                "image \"" + container.image.str() + "\" is not used: containers run programs of this machine" +
                (container.command.empty() ? ", and without a command args[0] is the program" : ""));
        }
    }
    return {};
}

}  // namespace muster::server
