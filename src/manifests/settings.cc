#include "manifests/settings.h"

#include <algorithm>

#include "api/selector/names.h"
#include "assembly/permissions.h"

namespace muster::manifests {
namespace {

Error bad_flag(const std::string& flag, const std::string& value, const std::string& expected) {
    return {Code::kBadRequest, flag + "=" + value + ": " + expected};
}

Result<std::set<std::string>> parse_set(const std::string& text) {
    std::set<std::string> names;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string name = text.substr(start, end - start);
        const bool is_part = name == kLeaderElectionPart || name == kWebhookPart || name == kMetricsPart;
        if (is_part || permissions_of(name).empty())
            return bad_flag(
                "--controllers", text,
                "'" + name + "' does not run on a cluster; there are cron-job, job, pod-ttl, queue and ttl");
        names.insert(name);
        start = end + 1;
    }
    return names;
}

template <class Choice>
Result<Choice> parse_choice(const std::string& flag, const std::string& value,
                            const std::vector<std::pair<std::string, Choice>>& choices) {
    std::string all;
    for (const auto& [name, choice] : choices) {
        if (name == value) return choice;
        all += (all.empty() ? "" : ", ") + name;
    }
    return bad_flag(flag, value, "must be one of " + all);
}

// An image's name has no blanks; what else it may be, its registry knows.
bool is_image_name(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127; });
}

Result<void> check_texts(const Settings& settings) {
    if (const auto problems = api::is_dns1123_label(settings.namespace_); !problems.empty())
        return bad_flag("--namespace", settings.namespace_, problems.front());
    if (!is_image_name(settings.image)) return bad_flag("--image", settings.image, "is not the name of an image");
    if (settings.replicas < 1 || settings.replicas > 100)
        return bad_flag("--replicas", std::to_string(settings.replicas), "must be 1 to 100");
    if (!settings.priority_class.empty())
        if (const auto problems = api::is_dns1123_subdomain(settings.priority_class); !problems.empty())
            return bad_flag("--priority-class", settings.priority_class, problems.front());
    return {};
}

// In one namespace there are Jobs and pods, and no rights beyond it.
Result<void> check_local(const Plan& plan) {
    const std::string& name = plan.settings.only_namespace;
    if (name.empty()) return {};
    if (const auto problems = api::is_dns1123_label(name); !problems.empty())
        return bad_flag("--only-namespace", name, problems.front());
    if (plan.queues())
        return bad_flag("--only-namespace", name, "queues are of the whole cluster: leave queue out of --controllers");
    if (plan.settings.monitoring)
        return bad_flag("--only-namespace", name, "metrics are not served there: leave --monitoring out");
    return {};
}

}  // namespace

std::set<std::string> Plan::parts() const {
    std::set<std::string> all = controllers;
    all.insert(std::string(kLeaderElectionPart));
    // Who reads metrics is asked of the whole cluster.
    if (!is_local()) all.insert(std::string(kMetricsPart));
    if (has_webhook()) all.insert(std::string(kWebhookPart));
    return all;
}

Result<Plan> check_settings(Settings settings) {
    Plan plan;
    if (auto checked = check_texts(settings); !checked.ok()) return checked.error();
    auto names = parse_set(settings.controllers);
    if (!names.ok()) return names.error();
    plan.controllers = std::move(*names);
    const auto mode = parse_choice<int>("--job-mode", settings.job_mode,
                                        {{"managed-by", 0}, {"all", 0}, {"managed-by,all", 0}, {"all,managed-by", 0}});
    if (!mode.ok()) return mode.error();
    const auto admission = parse_choice<Admission>(
        "--admission", settings.admission,
        {{"webhook", Admission::kWebhook}, {"policies", Admission::kPolicies}, {"none", Admission::kNone}});
    if (!admission.ok()) return admission.error();
    plan.admission = *admission;
    const auto certificates =
        parse_choice<Certificates>("--webhook-certificates", settings.certificates,
                                   {{"self", Certificates::kSelf}, {"cert-manager", Certificates::kCertManager}});
    if (!certificates.ok()) return certificates.error();
    plan.certificates = *certificates;
    const auto older = parse_choice<bool>("--queue-versions", settings.queue_versions,
                                          {{"v1beta2", false}, {"v1beta1,v1beta2", true}});
    if (!older.ok()) return older.error();
    plan.older_version = *older;
    if (plan.older_version && !plan.has_webhook())
        return bad_flag("--queue-versions", settings.queue_versions,
                        "v1beta1 is converted by the webhook: it needs queue among --controllers and "
                        "--admission=webhook");
    if (const auto format = parse_choice<int>("--pod-log-format", settings.log_format, {{"text", 0}, {"json", 0}});
        !format.ok())
        return format.error();
    plan.settings = std::move(settings);
    if (auto checked = check_local(plan); !checked.ok()) return checked.error();
    return plan;
}

}  // namespace muster::manifests
