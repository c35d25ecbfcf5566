#include "server/rest/binding.h"

#include "server/objects/pod_binding.h"

namespace muster::server {

Result<Answer> bind_pod(Objects& objects, Call& call) {
    const auto& binding = as<api::core::Binding>(*call.body->object);
    if (!(binding.metadata.name == call.route.name))
        return Error{Code::kBadRequest, "name in URL does not match name in Binding object"};
    const std::string_view in_namespace = place_of(call).namespace_;
    TRY_ASSIGN(const Outcome outcome, bind_stored_pod(objects, in_namespace, binding, call.write.dry_run));
    api::meta::Status done;
    done.status = "Success";
    done.code = 201;
    return answer_status(done, call.as.form, outcome.revision);
}

}  // namespace muster::server
