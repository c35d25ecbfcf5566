// Pods, and the pod templates inside other kinds.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "cli/client/describe_text.h"
#include "cli/text/document.h"
#include "cli/text/table_text.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

const json::value* find_named(const json::value* list, const std::string& name) {
    if (!list || !list->is_array()) return nullptr;
    for (const json::value& item : list->as_array())
        if (text_at(item, "/name") == name) return &item;
    return nullptr;
}

void describe_state(DescribeText& text, int level, const char* name, const json::value& state) {
    if (const json::value* running = find_at(state, "/running")) {
        text.field(level, name, "Running");
        text.field(level + 1, "Started", DescribeText::time_text(text_at(*running, "/startedAt")));
    } else if (const json::value* waiting = find_at(state, "/waiting")) {
        text.field(level, name, "Waiting");
        text.optional_at(level + 1, "Reason", *waiting, "/reason");
    } else if (const json::value* ended = find_at(state, "/terminated")) {
        text.field(level, name, "Terminated");
        text.optional_at(level + 1, "Reason", *ended, "/reason");
        text.optional_at(level + 1, "Message", *ended, "/message");
        text.field_at(level + 1, "Exit Code", *ended, "/exitCode");
        text.optional_at(level + 1, "Signal", *ended, "/signal");
        text.field(level + 1, "Started", DescribeText::time_text(text_at(*ended, "/startedAt")));
        text.field(level + 1, "Finished", DescribeText::time_text(text_at(*ended, "/finishedAt")));
    } else {
        text.field(level, name, "Waiting");
    }
}

// One word per line under its name.
void describe_words(DescribeText& text, int level, const char* name, const json::array& words) {
    if (words.empty()) return;
    text.line(level, std::string(name) + ":");
    for (const json::value& word : words)
        text.line(level + 1, word.is_string() ? std::string(word.as_string()) : json::serialize(word));
}

void describe_resources(DescribeText& text, int level, const json::value& container) {
    for (const auto& [name, pointer] :
         {std::pair("Limits", "/resources/limits"), std::pair("Requests", "/resources/requests")}) {
        const json::value* found = find_at(container, pointer);
        if (!found || !found->is_object() || found->as_object().empty()) continue;
        text.line(level, std::string(name) + ":");
        text.pairs(level + 1, "", found, ":  ");
    }
}

std::string env_source(const json::value& from) {
    if (const json::value* field = find_at(from, "/fieldRef"))
        return " (" + text_at(*field, "/apiVersion") + ":" + text_at(*field, "/fieldPath") + ")";
    if (const json::value* map = find_at(from, "/configMapKeyRef"))
        return "<set to the key '" + text_at(*map, "/key") + "' of config map '" + text_at(*map, "/name") + "'>";
    if (const json::value* secret = find_at(from, "/secretKeyRef"))
        return "<set to the key '" + text_at(*secret, "/key") + "' in secret '" + text_at(*secret, "/name") + "'>";
    if (const json::value* resource = find_at(from, "/resourceFieldRef"))
        return " (" + text_at(*resource, "/resource") + ")";
    return "";
}

void describe_environment(DescribeText& text, int level, const json::value& container) {
    const json::array& variables = array_at(container, "/env");
    if (variables.empty()) {
        text.field(level, "Environment", "");
    } else {
        text.line(level, "Environment:");
        for (const json::value& variable : variables) {
            const json::value* from = find_at(variable, "/valueFrom");
            text.field(level + 1, text_at(variable, "/name"), from ? env_source(*from) : text_at(variable, "/value"),
                       "");
        }
    }
    const json::array& mounts = array_at(container, "/volumeMounts");
    if (mounts.empty()) {
        text.field(level, "Mounts", "");
        return;
    }
    text.line(level, "Mounts:");
    for (const json::value& mount : mounts)
        text.line(level + 1, text_at(mount, "/mountPath") + " from " + text_at(mount, "/name") +
                                 (text_at(mount, "/readOnly") == "true" ? " (ro)" : " (rw)"));
}

void describe_container(DescribeText& text, int level, const json::value& container, const json::value* status) {
    text.line(level, text_at(container, "/name") + ":");
    ++level;
    if (status) text.optional_at(level, "Container ID", *status, "/containerID");
    text.field_at(level, "Image", container, "/image");
    if (status) text.optional_at(level, "Image ID", *status, "/imageID");
    std::string ports;
    for (const json::value& port : array_at(container, "/ports"))
        ports += (ports.empty() ? "" : ", ") + text_at(port, "/containerPort") + "/" +
                 (text_at(port, "/protocol").empty() ? "TCP" : text_at(port, "/protocol"));
    text.field(level, "Port", ports);
    describe_words(text, level, "Command", array_at(container, "/command"));
    describe_words(text, level, "Args", array_at(container, "/args"));
    if (status) {
        if (const json::value* state = find_at(*status, "/state")) describe_state(text, level, "State", *state);
        if (const json::value* last = find_at(*status, "/lastState"); last && !last->as_object().empty())
            describe_state(text, level, "Last State", *last);
        text.field(level, "Ready", text_at(*status, "/ready") == "true" ? "True" : "False");
        text.field_at(level, "Restart Count", *status, "/restartCount", "0");
    }
    describe_resources(text, level, container);
    describe_environment(text, level, container);
}

std::string volume_text(const json::value& volume) {
    for (const auto& member : volume.as_object()) {
        if (member.key() == "name") continue;
        std::string out(member.key());
        if (member.value().is_object())
            for (const auto& inner : member.value().as_object())
                if (inner.value().is_string())
                    out += " " + std::string(inner.key()) + "=" + std::string(inner.value().as_string());
        return out;
    }
    return "<unknown>";
}

void describe_tolerations(DescribeText& text, int level, const json::value& spec) {
    std::string head = "Tolerations:";
    for (const json::value& toleration : array_at(spec, "/tolerations")) {
        std::string line = text_at(toleration, "/key");
        if (const std::string value = text_at(toleration, "/value"); !value.empty()) line += "=" + value;
        if (const std::string effect = text_at(toleration, "/effect"); !effect.empty()) line += ":" + effect;
        if (text_at(toleration, "/operator") == "Exists") line += " op=Exists";
        if (const std::string seconds = text_at(toleration, "/tolerationSeconds"); !seconds.empty())
            line += " for " + seconds + "s";
        text.line(level, head + "\t" + line);
        head.clear();
    }
    if (!head.empty()) text.line(level, head + "\t<none>");
}

}  // namespace

void describe_containers(DescribeText& text, int level, const char* heading, const json::value& spec,
                         std::string_view list, const json::value* statuses) {
    const json::array& containers = array_at(spec, list);
    if (containers.empty()) return;
    text.line(level, std::string(heading) + ":");
    for (const json::value& container : containers)
        describe_container(text, level + 1, container, find_named(statuses, text_at(container, "/name")));
}

void describe_volumes(DescribeText& text, int level, const json::value& spec) {
    const json::array& volumes = array_at(spec, "/volumes");
    if (volumes.empty()) {
        text.field(level, "Volumes", "");
        return;
    }
    text.line(level, "Volumes:");
    for (const json::value& volume : volumes) text.field(level + 1, text_at(volume, "/name"), volume_text(volume));
}

void describe_pod_template(DescribeText& text, int level, const json::value& pod_template) {
    text.line(level, "Pod Template:");
    ++level;
    text.pairs(level, "Labels", find_at(pod_template, "/metadata/labels"));
    if (find_at(pod_template, "/metadata/annotations"))
        text.pairs(level, "Annotations", find_at(pod_template, "/metadata/annotations"), ": ");
    const json::value empty = json::object();
    const json::value* spec = find_at(pod_template, "/spec");
    if (!spec) spec = &empty;
    text.optional_at(level, "Service Account", *spec, "/serviceAccountName");
    describe_containers(text, level, "Init Containers", *spec, "/initContainers", nullptr);
    describe_containers(text, level, "Containers", *spec, "/containers", nullptr);
    describe_volumes(text, level, *spec);
    text.pairs(level, "Node-Selectors", find_at(*spec, "/nodeSelector"));
    describe_tolerations(text, level, *spec);
}

void describe_pod(DescribeText& text, const json::value& pod) {
    text.metadata(pod);
    text.field_at(0, "Priority", pod, "/spec/priority", "0");
    text.optional_at(0, "Priority Class Name", pod, "/spec/priorityClassName");
    text.field_at(0, "Service Account", pod, "/spec/serviceAccountName");
    const std::string host = text_at(pod, "/status/hostIP");
    text.field(0, "Node", text_at(pod, "/spec/nodeName") + (host.empty() ? "" : "/" + host));
    text.field(0, "Start Time", DescribeText::time_text(text_at(pod, "/status/startTime")));
    text.pairs(0, "Labels", find_at(pod, "/metadata/labels"));
    text.pairs(0, "Annotations", find_at(pod, "/metadata/annotations"), ": ");
    const std::string deletion = text_at(pod, "/metadata/deletionTimestamp");
    text.field(0, "Status", deletion.empty() ? text_at(pod, "/status/phase") : "Terminating (until " + deletion + ")");
    text.optional_at(0, "Reason", pod, "/status/reason");
    text.optional_at(0, "Message", pod, "/status/message");
    text.field_at(0, "IP", pod, "/status/podIP", "");
    for (const json::value& owner : array_at(pod, "/metadata/ownerReferences"))
        if (text_at(owner, "/controller") == "true")
            text.field(0, "Controlled By", text_at(owner, "/kind") + "/" + text_at(owner, "/name"));
    const json::value empty = json::object();
    const json::value* spec = find_at(pod, "/spec");
    if (!spec) spec = &empty;
    describe_containers(text, 0, "Init Containers", *spec, "/initContainers",
                        find_at(pod, "/status/initContainerStatuses"));
    describe_containers(text, 0, "Containers", *spec, "/containers", find_at(pod, "/status/containerStatuses"));
    if (const json::array& conditions = array_at(pod, "/status/conditions"); !conditions.empty()) {
        text.line(0, "Conditions:");
        text.line(1, "Type\tStatus");
        for (const json::value& condition : conditions)
            text.line(1, text_at(condition, "/type") + "\t" + text_at(condition, "/status") + " ");
    }
    describe_volumes(text, 0, *spec);
    text.field_at(0, "QoS Class", pod, "/status/qosClass");
    text.pairs(0, "Node-Selectors", find_at(*spec, "/nodeSelector"));
    describe_tolerations(text, 0, *spec);
}

}  // namespace muster::cli
