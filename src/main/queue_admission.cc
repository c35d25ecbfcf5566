#include "main/queue_admission.h"

#include "api/validation/queueing/queueing_webhooks.h"
#include "controllers/queue/review/review.h"
#include "server/identity/user.h"
#include "server/objects/objects.h"

namespace muster {
namespace {

using api::batch::Job;
using api::core::Pod;
using api::kueue::QueueConfiguration;
using controllers::QueueReview;
using server::AdmissionRequest;
using server::Objects;
using server::Operation;

// The world as the server's store has it.
class StoredWorld final : public controllers::QueueWorld {
public:
    explicit StoredWorld(const Objects& objects) : objects_(objects) {}

    const void* find_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name,
                         std::string_view) override {
        const auto found = objects_.get({kind, namespace_, name});
        if (!found.ok()) return nullptr;
        kept_.push_back(*found);
        return kept_.back()->data();
    }

private:
    const Objects& objects_;
    std::vector<server::KindObjectPtr> kept_;
};

template <class K>
K* draft_of(const AdmissionRequest& request) {
    const bool main_part = request.subresource.empty() && request.object;
    return main_part && server::has_type<K>(request.kind) ? &server::as<K>(*request.object) : nullptr;
}
template <class K>
const K* before_of(const AdmissionRequest& request) {
    return request.operation == Operation::kUpdate ? &server::as<K>(*request.before) : nullptr;
}

// Those inside the process that say no name are the server itself.
controllers::QueueWriter writer_of(const AdmissionRequest& request) {
    return request.user ? controllers::queue_writer(request.user->name) : controllers::QueueWriter{true, true};
}

// As Kueue's webhooks answer: 403, and not the 422 of Kubernetes' own rules.
Result<> answer(const AdmissionRequest& request, controllers::QueueRefusal refusal) {
    if (!refusal.reason.empty()) return server::refuse_request(request, refusal.reason);
    if (refusal.errors.empty()) return {};
    return api::denied_by_webhook({refusal.webhook, std::move(refusal.errors)});
}

}  // namespace

server::AdmissionStep queue_mutation(QueueConfiguration configuration) {
    return [configuration = std::move(configuration)](AdmissionRequest& request, const Objects& objects) -> Result<> {
        if (request.operation == Operation::kDelete) return {};
        Pod* pod = request.operation == Operation::kCreate ? draft_of<Pod>(request) : nullptr;
        Job* job = draft_of<Job>(request);
        if (!pod && !job) return {};
        StoredWorld world(objects);
        const QueueReview review{configuration, world, request.namespace_, writer_of(request)};
        if (pod) {
            controllers::admit_new_pod(*pod, review);
        } else if (const Job* before = before_of<Job>(request)) {
            std::string warning = controllers::admit_changed_job(*job, *before, review);
            if (!warning.empty() && request.warnings) request.warnings->push_back(std::move(warning));
        } else {
            controllers::admit_new_job(*job, review);
        }
        return {};
    };
}

server::AdmissionStep queue_validation(QueueConfiguration configuration) {
    return [configuration = std::move(configuration)](AdmissionRequest& request, const Objects& objects) -> Result<> {
        if (request.operation == Operation::kDelete) return {};
        const Pod* pod = draft_of<Pod>(request);
        const Job* job = draft_of<Job>(request);
        if (!pod && !job) return {};
        StoredWorld world(objects);
        const QueueReview review{configuration, world, request.namespace_, writer_of(request)};
        return answer(request, pod ? controllers::check_written_pod(*pod, before_of<Pod>(request), review)
                                   : controllers::check_written_job(*job, before_of<Job>(request), review));
    };
}

}  // namespace muster
