#include "assembly/cluster/choices.h"

#include <algorithm>
#include <span>
#include <vector>

#include "api/kinds/batch_names.h"
#include "api/selector/names.h"

namespace muster {
namespace {

constexpr std::string_view kOffered[] = {"cron-job", "job", "pod-ttl", "queue", "ttl"};
// Those that can work with rights in one namespace.
constexpr std::string_view kOfOneNamespace[] = {"job", "pod-ttl"};

constexpr struct {
    std::string_view name;
    std::string_view component;
} kClusterOwn[] = {
    {"garbage", "kube-controller-manager's garbage-collector-controller"},
    {"namespace", "kube-controller-manager's namespace-controller"},
    {"pod-gc", "kube-controller-manager's pod-garbage-collector-controller"},
    {"resource-quota", "kube-controller-manager's resourcequota-controller"},
    {"service-account", "kube-controller-manager's serviceaccount-controller"},
    {"scheduler", "kube-scheduler"},
};

Error bad_choice(std::string message) { return {Code::kBadRequest, std::move(message)}; }

template <class Names>
std::string joined_names(const Names& names) {
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    for (;;) {
        const std::size_t comma = text.find(',');
        words.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return words;
        text.remove_prefix(comma + 1);
    }
}

bool is_among(std::string_view name, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Kubernetes' rule for the field: example.com/path, at most 63 characters.
Result<> check_manager_name(std::string_view name) {
    const std::size_t slash = name.find('/');
    const bool has_parts = slash != std::string_view::npos && slash > 0 && slash + 1 < name.size();
    const bool dns = has_parts && api::is_dns1123_subdomain(name.substr(0, slash)).empty();
    if (!dns || name.size() > 63)
        return bad_choice("--job-managed-by \"" + std::string(name) +
                          "\" is no value of spec.managedBy: it must be a domain, a slash and a path, such as "
                          "muster.dev/job-controller, in at most 63 characters");
    if (name == api::batch::kJobController)
        return bad_choice(
            "--job-managed-by cannot be kubernetes.io/job-controller: those are the Jobs of --job-mode all");
    return {};
}

}  // namespace

Result<std::set<std::string>> parse_cluster_controllers(std::string_view text) {
    std::set<std::string> chosen;
    for (const std::string_view name : split_words(text)) {
        if (is_among(name, kOffered)) {
            chosen.emplace(name);
            continue;
        }
        for (const auto& own : kClusterOwn) {
            if (name == own.name)
                return bad_choice("--controllers: " + std::string(name) +
                                  " does not run beside a cluster, where it is " + std::string(own.component) +
                                  "'s work");
        }
        return bad_choice("--controllers: there is no controller \"" + std::string(name) +
                          "\" for a cluster; there are " + joined_names(kOffered));
    }
    return chosen;
}

Result<controllers::jobs::Ownership> parse_job_mode(std::string_view mode, std::string_view managed_by) {
    controllers::jobs::Ownership ownership{.unmanaged = false};
    for (const std::string_view word : split_words(mode)) {
        if (word == "all") {
            ownership.unmanaged = true;
        } else if (word == "managed-by") {
            TRY(check_manager_name(managed_by));
            ownership.managed_by = managed_by;
        } else {
            return bad_choice("--job-mode \"" + std::string(mode) +
                              "\" is not known; there are managed-by, all, and "
                              "managed-by,all");
        }
    }
    return ownership;
}

Result<> check_one_namespace(std::string_view namespace_, const std::set<std::string>& controllers) {
    if (namespace_.empty()) return {};
    if (!api::is_dns1123_label(namespace_).empty())
        return bad_choice("--namespace \"" + std::string(namespace_) + "\" is no name of a namespace");
    for (const std::string& name : controllers) {
        if (!is_among(name, kOfOneNamespace))
            return bad_choice("--namespace: " + name +
                              " cannot serve one namespace alone; with --namespace there are " +
                              joined_names(kOfOneNamespace));
    }
    return {};
}

}  // namespace muster
