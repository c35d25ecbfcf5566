// Who a pod is: its service account must be there, `default` when the pod names none, and gives it what it pulls images
// with. A pod that is to have its account's token as a file gets the volume for it.
//
// Kubernetes mounts the token into every pod. Here a mounted volume costs a container a mount namespace, so those get
// it that ask for it (automountServiceAccountToken: true, of the pod or the account), that are somebody (another
// account than default), or that have such a namespace anyway: the others find the API by the kubeconfig that the node
// gives them.
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
