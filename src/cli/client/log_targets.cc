#include "cli/client/log_targets.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

std::vector<std::string> container_names(const json::value& pod, bool all) {
    std::vector<std::string> names;
    const auto add = [&](const char* list) {
        for (const json::value& each : array_at(pod, list)) names.push_back(text_at(each, "/name"));
    };
    if (all) add("/spec/initContainers");
    add("/spec/containers");
    if (all) add("/spec/ephemeralContainers");
    return names;
}

std::string run_of(const json::value& pod, const std::string& container) {
    for (const char* list : {"/status/containerStatuses", "/status/initContainerStatuses"}) {
        for (const json::value& status : array_at(pod, list)) {
            if (text_at(status, "/name") != container) continue;
            if (std::string id = text_at(status, "/state/terminated/containerID"); !id.empty()) return id;
            return text_at(status, "/containerID");
        }
    }
    return "";
}

std::string annotation_of(const json::value& pod, const char* name) {
    const json::value* annotations = find_at(pod, "/metadata/annotations");
    const json::value* found =
        annotations && annotations->is_object() ? annotations->as_object().if_contains(name) : nullptr;
    return found && found->is_string() ? std::string(found->as_string()) : "";
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Without a name the pod's annotation says which, else it is the first.
std::string meant_container(const json::value& pod, std::string& note) {
    const std::vector<std::string> names = container_names(pod, false);
    const std::string annotated = annotation_of(pod, kDefaultContainer);
    if (contains(names, annotated)) return annotated;
    if (names.empty()) return "";
    if (names.size() > 1) {
        note = "Defaulted container \"" + names.front() + "\" out of: ";
        const char* before = "";
        for (const std::string& name : names) note.append(std::exchange(before, ", ")).append(name);
        for (const json::value& each : array_at(pod, "/spec/initContainers"))
            note += ", " + text_at(each, "/name") + " (init)";
    }
    return names.front();
}

}  // namespace

Result<std::vector<LogTarget>> log_targets(const json::value& pod, const std::string& container, bool all,
                                           std::string& note) {
    std::vector<std::string> names = container_names(pod, true);
    const std::string pod_name = text_at(pod, "/metadata/name");
    if (!all && !container.empty() && !contains(names, container))
        return Error{Code::kBadRequest, "container " + container + " is not valid for pod " + pod_name};
    if (!all) names = {container.empty() ? meant_container(pod, note) : container};
    std::vector<LogTarget> targets;
    for (const std::string& name : names) {
        LogTarget target;
        target.namespace_ = text_at(pod, "/metadata/namespace");
        target.pod = pod_name;
        target.container = name;
        target.run = run_of(pod, name);
        targets.push_back(std::move(target));
    }
    return targets;
}

Result<std::string> pod_selector(const json::value& object) {
    const json::value* selector = find_at(object, "/spec/selector");
    const json::value* labels = selector ? find_at(*selector, "/matchLabels") : nullptr;
    const json::value* expressions = selector ? find_at(*selector, "/matchExpressions") : nullptr;
    // A Service's and a ReplicationController's are the labels themselves.
    if (selector && selector->is_object() && !labels && !expressions) labels = selector;
    std::string text;
    const auto add = [&](const std::string& term) { text += (text.empty() ? "" : ",") + term; };
    if (labels && labels->is_object())
        for (const auto& [key, value] : labels->as_object())
            if (value.is_string()) add(std::string(key) + '=' + std::string(value.as_string()));
    for (const json::value& each : selector ? array_at(*selector, "/matchExpressions") : json::array()) {
        std::string values;
        for (const json::value& value : array_at(each, "/values"))
            if (value.is_string()) values += (values.empty() ? "" : ",") + std::string(value.as_string());
        const std::string op = text_at(each, "/operator");
        const std::string key = text_at(each, "/key");
        if (op == "In") add(key + " in (" + values + ')');
        if (op == "NotIn") add(key + " notin (" + values + ')');
        if (op == "Exists") add(key);
        if (op == "DoesNotExist") add('!' + key);
    }
    if (!text.empty()) return text;
    return Error{Code::kBadRequest, "cannot get the logs from " + text_at(object, "/kind") + ": it selects no pods"};
}

bool has_finished(const json::value& object) {
    const std::string phase = text_at(object, "/status/phase");
    if (phase == "Succeeded" || phase == "Failed") return true;
    for (const json::value& condition : array_at(object, "/status/conditions")) {
        const std::string type = text_at(condition, "/type");
        if ((type == "Complete" || type == "Failed") && text_at(condition, "/status") == "True") return true;
    }
    return false;
}

}  // namespace muster::cli
