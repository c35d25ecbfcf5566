#include "assembly/cluster/start_checks.h"

#include "os/loop/gather.h"

namespace muster {
namespace {

using api::authorization::SelfSubjectAccessReview;
using api::coordination::Lease;
using client::RemoteClient;

constexpr const char* kQueueGroupPath = "/apis/kueue.x-k8s.io/v1beta2";
constexpr struct {
    const char* path;
    const char* name;
} kKueueWebhooks[] = {
    {"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/", "kueue-mutating-webhook-configuration"},
    {"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/",
     "kueue-validating-webhook-configuration"},
};

bool is_refused(const Error& error) { return error.code == Code::kForbidden || error.code == Code::kUnauthorized; }

os::Task<Result<>> check_version(RemoteClient& client) {
    CO_TRY_ASSIGN(const std::string answer, co_await client.read("/version"));
    CO_TRY_ASSIGN(const ServerVersion version, parse_server_version(answer));
    co_return check_server_version(version);
}

os::Task<Result<>> check_rights(os::Loop& loop, RemoteClient& client, std::vector<AccessQuestion> questions) {
    std::vector<os::Task<Result<client::Ref<SelfSubjectAccessReview>>>> asking;
    for (const AccessQuestion& question : questions) {
        SelfSubjectAccessReview review;
        review.spec.resource_attributes.edit() = question.attributes;
        asking.push_back(client.create<SelfSubjectAccessReview>(std::move(review)));
    }
    const auto answers = co_await os::gather(loop, std::move(asking));
    std::vector<AccessQuestion> refused;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i].ok()) co_return answers[i].error();
        if (!(*answers[i])->status.allowed) refused.push_back(questions[i]);
    }
    co_return check_access_answers(refused);
}

os::Task<Result<>> check_kinds(RemoteClient& client) {
    const Result<std::string> answer = co_await client.read(kQueueGroupPath);
    if (!answer.ok() && answer.error().code != Code::kNotFound) co_return answer.error();
    co_return check_queue_resources(missing_queue_resources(answer.ok() ? std::optional(*answer) : std::nullopt));
}

os::Task<Result<>> look_for_lease(RemoteClient& client, KueueSigns& signs, std::vector<std::string>& notes) {
    const auto lease = co_await client.get<Lease>({Text(kKueueNamespace), Text(kKueueLease)});
    if (lease.ok()) {
        signs.lease = **lease;
    } else if (is_refused(lease.error())) {
        notes.push_back("cannot see whether Kueue is at work: " + lease.error().message);
    } else if (lease.error().code != Code::kNotFound) {
        co_return lease.error();
    }
    co_return Result<>();
}

os::Task<Result<>> check_kueue(os::Loop& loop, RemoteClient& client, bool force, std::vector<std::string>& notes) {
    KueueSigns signs;
    CO_TRY(co_await look_for_lease(client, signs, notes));
    for (const auto& webhook : kKueueWebhooks) {
        const Result<std::string> there = co_await client.read(std::string(webhook.path) + webhook.name);
        if (there.ok())
            signs.webhooks.emplace_back(webhook.name);
        else if (is_refused(there.error()))
            notes.push_back("cannot see whether Kueue's webhooks are there: " + there.error().message);
        else if (there.error().code != Code::kNotFound)
            co_return there.error();
    }
    co_return check_no_kueue(signs, loop.now(), force);
}

}  // namespace

os::Task<Result<>> check_start(os::Loop& loop, RemoteClient& client, StartQuestions questions,
                               std::vector<std::string>& notes) {
    CO_TRY(co_await check_version(client));
    CO_TRY(co_await check_rights(
        loop, client, access_questions(permissions_of(questions.parts, questions.observe), questions.scope)));
    if (questions.queue) {
        CO_TRY(co_await check_kinds(client));
        CO_TRY(co_await check_kueue(loop, client, questions.force_queue || questions.observe, notes));
    }
    co_return Result<>();
}

}  // namespace muster
