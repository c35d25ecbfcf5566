// Who may make pods where pods run as the server's user. Such a pod can read the server's keys, so a right to create
// pods in one namespace is every right on the machine: only administrators (group system:masters) and the server's own
// controllers have it, and only administrators may write what controllers make pods from, or act inside a container.
#pragma once

#include "server/identity/user.h"
#include "server/objects/admission.h"

namespace muster::server {

// Whether the write makes a pod or changes what a pod runs: a new Pod, Job or CronJob, another template of a Job or a
// CronJob, another image of a pod's container, an added ephemeral container. Pure.
bool makes_pods(const AdmissionRequest& request);

// Refuses such writes to everyone but administrators and the server's own parts.
AdmissionStep check_pod_makers();

// The same for exec and attach; `part` is the subresource's name.
Result<> check_pod_session(const User& user, std::string_view pod, std::string_view part);

}  // namespace muster::server
