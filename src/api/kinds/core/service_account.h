// ServiceAccount: the identity under which a pod's processes talk to the server.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::core {

struct ServiceAccount {
    KIND(ServiceAccount, "An identity for processes in pods.", .plural = "serviceaccounts", .short_names = "sa",
         .access = Access::kEdit)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<ObjectReference>, secrets,
          "Secrets that its pods may use. Only enforced when the annotation kubernetes.io/enforce-mountable-secrets is "
          "true.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap, .list_keys = "name")
    FIELD(3, List<LocalObjectReference>, image_pull_secrets, "Secrets for pulling its pods' images.")
    FIELD(4, std::optional<bool>, automount_service_account_token,
          "Whether its pods get a token as a file. A pod can decide otherwise. True by default.")
};

}  // namespace muster::api::core
