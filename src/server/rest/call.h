// One request for a resource as the loop gets it: everything that could be read from the request alone is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/identity/user.h"
#include "server/objects/admission.h"
#include "server/rest/answer.h"
#include "server/rest/body.h"
#include "server/rest/options.h"
#include "server/rest/route.h"

namespace muster::server {

struct PatchBody;

struct Call {
    Route route{};
    Verb verb = Verb::kGet;  // of a served resource
    Query query{};
    User user{};
    Presentation as{};
    WriteQuery write{};          // of create, update and patch
    std::optional<Body> body{};  // of create and update
    std::shared_ptr<const PatchBody> patch{};
    std::optional<api::meta::DeleteOptions> delete_options{};
    std::vector<std::string> warnings{};
    AuditAnnotations audit{};

    // What the path takes and gives: the resource's kind, or the subresource's.
    const api::KindInfo& kind() const { return route.part ? *route.part->kind : *route.served->kind; }
    const api::KindInfo& resource_kind() const { return *route.served->kind; }
};

}  // namespace muster::server
