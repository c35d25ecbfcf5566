// Service account admission: the pod's account (`default` if the pod names none) must exist, and the pod gets its image
// pull secrets. A pod that gets the account's token as a file also gets the volume for it.
//
// Kubernetes mounts the token into every pod. Here a mounted volume costs a container a mount namespace, so only these
// pods get it: pods that ask for it (automountServiceAccountToken: true of the pod or the account), pods with another
// account than `default`, and pods that have a mount namespace anyway. The others use the kubeconfig from the node.
#pragma once

#include "api/kinds/core/pod.h"
#include "api/kinds/core/service_account.h"
#include "server/objects/admission.h"

namespace muster::server {

// kAlways: pods cannot read files of the node, so that a kubeconfig of the node is of no use to them.
enum class TokenFiles { kWhereCheap, kAlways };

// Whether the pod gets the token as a file. Pure.
bool wants_token_volume(const api::core::Pod& pod, const api::core::ServiceAccount& account,
                        TokenFiles files = TokenFiles::kWhereCheap);

// Adds the volume, and its mount to every container that has nothing there. Pure.
void add_token_volume(api::core::Pod& pod);

// Pods that are made from one template go on sharing their containers: what was made of the last is kept.
AdmissionStep admit_service_account(TokenFiles files = TokenFiles::kWhereCheap);

}  // namespace muster::server
