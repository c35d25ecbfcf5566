#include "server/access/pod_makers.h"

#include <algorithm>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"

namespace muster::server {
namespace {

using api::batch::CronJob;
using api::batch::Job;
using api::core::Container;
using api::core::Pod;

constexpr const char* kPodsAreTheServers =
    "pods run as the server's own user here, so only administrators (group system:masters) may ";
constexpr const char* kWayOut = "; the server's flag --pod-user lets other users do it";

template <class K>
bool is_kind(const AdmissionRequest& request) {
    return has_type<K>(request.kind);
}

template <class K>
const K& draft_of(const AdmissionRequest& request) {
    return as<K>(*request.object);
}

template <class K>
const K& stored_of(const AdmissionRequest& request) {
    return as<K>(*request.before);
}

// Other fields of containers cannot change in a stored pod, or do not matter to what is run.
bool has_same_images(const List<Container>& now, const List<Container>& before) {
    return std::equal(now.begin(), now.end(), before.begin(), before.end(),
                      [](const Container& left, const Container& right) { return left.image == right.image; });
}

bool runs_the_same(const Pod& now, const Pod& before) {
    return has_same_images(now.spec.containers, before.spec.containers) &&
           has_same_images(now.spec.init_containers, before.spec.init_containers) &&
           now.spec.ephemeral_containers == before.spec.ephemeral_containers;
}

}  // namespace

bool makes_pods(const AdmissionRequest& request) {
    if (request.operation == Operation::kDelete || request.subresource == "status") return false;
    const bool is_new = request.operation == Operation::kCreate;
    if (is_kind<Pod>(request)) return is_new || !runs_the_same(draft_of<Pod>(request), stored_of<Pod>(request));
    if (is_kind<Job>(request))
        return is_new || !(draft_of<Job>(request).spec.template_ == stored_of<Job>(request).spec.template_);
    if (!is_kind<CronJob>(request)) return false;
    return is_new || !(draft_of<CronJob>(request).spec.job_template == stored_of<CronJob>(request).spec.job_template);
}

AdmissionStep check_pod_makers() {
    return [](AdmissionRequest& request, const Objects&) -> Result<> {
        if (request.from_inside || !request.user || request.user->in_group(kMastersGroup)) return {};
        if (!makes_pods(request)) return {};
        const bool is_new = request.operation == Operation::kCreate;
        return refuse_request(request, std::string(kPodsAreTheServers) +
                                           (is_new ? "create pods and what makes them" : "change what pods run") +
                                           kWayOut);
    };
}

Result<> check_pod_session(const User& user, std::string_view pod, std::string_view part) {
    if (user.in_group(kMastersGroup)) return {};
    const std::string name(pod);
    return Error{Code::kForbidden,
                 "pods \"" + name + "\" is forbidden: " + kPodsAreTheServers +
                     (part == "exec" ? "run commands in them" : "attach to them") + kWayOut,
                 {},
                 {name, "", "pods"}};
}

}  // namespace muster::server
