#include "webhook/certificates/keeper.h"

#include "client/kinds/more_kinds.h"
#include "os/loop/task.h"

namespace muster::webhook {
namespace {

using api::core::Secret;
using client::ObjectName;

// The definitions whose objects are converted by a webhook.
constexpr const char* kDefinitions[] = {"clusterqueues.kueue.x-k8s.io", "cohorts.kueue.x-k8s.io",
                                        "localqueues.kueue.x-k8s.io", "workloads.kueue.x-k8s.io"};

}  // namespace

CertificateKeeper::CertificateKeeper(os::Loop& loop, client::Client& client, KeeperOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      names_(serving_names_of(options_.identity)),
      tasks_(loop) {
    client::read_kind<registration::MutatingWebhookConfiguration>();
    client::read_kind<registration::ValidatingWebhookConfiguration>();
    client::read_kind<definition::CustomResourceDefinition>();
}

void CertificateKeeper::start() { tasks_.spawn(run()); }

os::Task<void> CertificateKeeper::run() {
    for (;;) {
        while (!options_.leads()) co_await os::sleep_for(loop_, options_.leading_period);
        const Result<> kept = co_await keep();
        if (!kept.ok() && options_.on_problem)
            options_.on_problem("the webhook's certificates: " + format_error(kept.error()));
        co_await os::sleep_for(loop_, kept.ok() ? options_.period : options_.retry);
    }
}

os::Task<Result<>> CertificateKeeper::keep() {
    CO_TRY_ASSIGN(const KeptCertificates kept, co_await keep_secret());
    const std::string authority = kept.authority.certificate;
    CO_TRY(co_await keep_authority<registration::MutatingWebhookConfiguration>(kConfigurationName, authority));
    CO_TRY(co_await keep_authority<registration::ValidatingWebhookConfiguration>(kConfigurationName, authority));
    for (const char* name : kDefinitions)
        CO_TRY(co_await keep_authority<definition::CustomResourceDefinition>(name, authority));
    co_return Result<>();
}

os::Task<Result<KeptCertificates>> CertificateKeeper::keep_secret() {
    const ObjectName name{Text(options_.identity.namespace_), Text(options_.secret)};
    Result<client::Ref<Secret>> found = co_await client_.get<Secret>(name);
    if (!found.ok() && found.error().code != Code::kNotFound) co_return std::move(found).error();
    const KeptCertificates kept = found.ok() ? read_kept(**found) : KeptCertificates();
    const CertificatePlan plan = decide_certificates(kept, names_, loop_.now());
    if (plan.step == CertificateStep::kKeep) co_return kept;
    CO_TRY_ASSIGN(KeptCertificates made, apply_certificate_step(plan.step, kept, names_, loop_.now()));
    Secret secret = found.ok() ? **found : Secret();
    write_kept(made, secret);
    if (found.ok()) {
        CO_TRY_ASSIGN([[maybe_unused]] const auto stored, co_await client_.change<Secret>(*found, secret));
    } else {
        secret.metadata.namespace_ = name.namespace_;
        secret.metadata.name = name.name;
        secret.type = "Opaque";
        CO_TRY_ASSIGN([[maybe_unused]] const auto stored, co_await client_.create<Secret>(secret));
    }
    co_return made;
}

template <class K>
os::Task<Result<>> CertificateKeeper::keep_authority(std::string name, std::string authority) {
    Result<client::Ref<K>> found = co_await client_.get<K>(ObjectName({}, Text(name)));
    // Not every cluster has all of them: with policies there are no configurations.
    if (!found.ok() && found.error().code == Code::kNotFound) co_return Result<>();
    if (!found.ok()) co_return std::move(found).error();
    std::optional<K> changed = with_authority(**found, options_.identity, authority);
    if (!changed) co_return Result<>();
    CO_TRY_ASSIGN([[maybe_unused]] const auto stored, co_await client_.change<K>(*found, *std::move(changed)));
    co_return Result<>();
}

}  // namespace muster::webhook
