#include "server/discovery/openapi_paths.h"

#include <boost/json/array.hpp>
#include <map>

#include "api/kinds/api_resources.h"
#include "api/kinds/meta/status.h"
#include "api/openapi/schemas.h"

namespace muster::server {
namespace {

namespace json = boost::json;
using api::KindInfo;

struct Parameter {
    const char* name;
    const char* type;
    const char* description;
};

constexpr Parameter kPretty{"pretty", "string", "True gives indented JSON. The default for curl, wget and browsers."};
constexpr Parameter kDryRun{"dryRun", "string", "All does everything but store the result. All is the only value."};
constexpr Parameter kWriting[] = {
    kDryRun,
    {"fieldManager", "string", "Name of who makes the change, at most 128 printable characters."},
    {"fieldValidation", "string",
     "What to do about unknown and duplicate fields: Ignore drops them, Warn drops them and says so in a header, "
     "Strict "
     "refuses the request. Warn by default."},
};
constexpr Parameter kForce{"force", "boolean", "Takes fields over from other managers. Only for server-side apply."};
constexpr Parameter kDeleting[] = {
    kDryRun,
    {"gracePeriodSeconds", "integer", "Seconds the object has to end. Zero deletes at once."},
    {"orphanDependents", "boolean", "Old form of propagationPolicy: true leaves dependents alone."},
    {"propagationPolicy", "string",
     "What happens to dependents: Orphan leaves them, Background removes them afterwards, Foreground before."},
};
constexpr Parameter kListing[] = {
    {"allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks, which carry nothing but a version."},
    {"continue", "string", "Where a list in parts goes on: the token of the part before."},
    {"fieldSelector", "string", "Restricts the objects by their fields. All by default."},
    {"labelSelector", "string", "Restricts the objects by their labels. All by default."},
    {"limit", "integer", "At most how many objects to give at once. What is left comes with continue."},
    {"resourceVersion", "string", "The version to read at, or to watch from."},
    {"resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."},
    {"sendInitialEvents", "boolean", "A watch begins with what there is, then a bookmark, then what happens."},
    {"timeoutSeconds", "integer", "Ends a list or watch after so many seconds."},
    {"watch", "boolean", "Streams changes instead of giving a list."},
};
constexpr Parameter kLogging[] = {
    {"container", "string", "The container. May be left out when there is only one."},
    {"follow", "boolean", "Goes on with what is written from now on."},
    {"insecureSkipTLSVerifyBackend", "boolean", "Does not check the node's certificate."},
    {"limitBytes", "integer", "At most how many bytes to give."},
    {"previous", "boolean", "Reads the run before the last restart."},
    {"sinceSeconds", "integer", "Only what was written in the last so many seconds."},
    {"stream", "string", "All, Stdout or Stderr."},
    {"tailLines", "integer", "Only so many lines from the end."},
    {"timestamps", "boolean", "Puts the time before each line."},
};
constexpr Parameter kConnecting[] = {
    {"command", "string", "The command to run, one parameter per word."},
    {"container", "string", "The container. May be left out when there is only one."},
    {"stderr", "boolean", "Connects to standard error."},
    {"stdin", "boolean", "Connects to standard input."},
    {"stdout", "boolean", "Connects to standard output."},
    {"tty", "boolean", "Gives the process a terminal."},
};

json::object schema_reference(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

json::object parameter(const Parameter& from, bool in_path = false) {
    json::object out{{"description", from.description}, {"in", in_path ? "path" : "query"}, {"name", from.name}};
    if (in_path) out["required"] = true;
    out["schema"] = json::object{{"type", from.type}, {"uniqueItems", true}};
    return out;
}

void add_parameters(std::span<const Parameter> parameters, json::array& out) {
    for (const Parameter& each : parameters) out.push_back(parameter(each));
}

// One schema in each of the encodings.
json::object content(const std::string& schema) {
    json::object out;
    for (const char* type : {"application/json", "application/vnd.kubernetes.protobuf", "application/yaml"})
        out[type] = json::object{{"schema", schema_reference(schema)}};
    return out;
}

// The answers of an operation: those codes with that schema, and 401.
json::object answers(std::initializer_list<const char*> codes, const std::string& schema) {
    json::object out;
    for (const std::string_view code : codes) {
        const char* word = code == "200" ? "OK" : code == "201" ? "Created" : "Accepted";
        out[code] = json::object{{"content", content(schema)}, {"description", word}};
    }
    out["401"] = json::object{{"description", "Unauthorized"}};
    return out;
}

std::string upper_first(std::string_view word) {
    std::string out(word);
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
    return out;
}

// "RbacAuthorization" of rbac.authorization.k8s.io, "Core" of the group without a name.
std::string group_word(std::string_view group) {
    if (group.empty()) return "Core";
    if (group.ends_with(".k8s.io")) group.remove_suffix(7);
    std::string out;
    while (!group.empty()) {
        const std::size_t end = group.find('.');
        out += upper_first(group.substr(0, end));
        group.remove_prefix(end == std::string_view::npos ? group.size() : end + 1);
    }
    return out;
}

class PathWriter {
public:
    explicit PathWriter(const ServedVersion& version)
        : version_(version), prefix_("/" + version.path()), group_(group_word(version.group)) {
        tag_ = group_;
        tag_[0] = static_cast<char>(tag_[0] - 'A' + 'a');
        tag_ += "_" + std::string(version.version);
    }

    json::object write() {
        add_version();
        for (const ServedResource& resource : version_.resources) add_resource(resource);
        json::object out;
        for (auto& [path, operations] : paths_) out[path] = std::move(operations);
        return out;
    }

private:
    void add_version() {
        json::object operation = start("get", "what this version has", "get" + stem("") + "APIResources");
        operation["responses"] = answers({"200"}, api::schema_name(api::meta::APIResourceList::info()));
        paths_[prefix_ + "/"]["get"] = std::move(operation);
    }

    void add_resource(const ServedResource& resource) {
        const KindInfo& kind = *resource.kind;
        const std::string plural = kind.options.plural;
        const bool namespaced = kind.options.namespaced;
        const std::string collection = prefix_ + (namespaced ? "/namespaces/{namespace}/" : "/") + plural;
        if (namespaced && resource.verbs.has(Verb::kList)) {
            json::object operation = listing(kind, "list" + stem("") + kind.kind + "ForAllNamespaces");
            paths_[prefix_ + "/" + plural]["get"] = std::move(operation);
            paths_[prefix_ + "/" + plural]["parameters"] = path_parameters(kind, false, false);
        }
        add_collection(resource, collection);
        add_object(resource, collection + "/{name}");
        for (const ServedSubresource& part : resource.subresources)
            add_subresource(resource, part, collection + "/{name}/" + std::string(part.name));
    }

    void add_collection(const ServedResource& resource, const std::string& path) {
        const KindInfo& kind = *resource.kind;
        const std::string noun = scope(kind) + kind.kind;
        json::object operations;
        if (resource.verbs.has(Verb::kDeleteCollection)) operations["delete"] = collection_deletion(kind);
        if (resource.verbs.has(Verb::kList)) operations["get"] = listing(kind, "list" + stem(noun));
        if (resource.verbs.has(Verb::kCreate)) operations["post"] = creation(kind, "create" + stem(noun));
        if (operations.empty()) return;
        operations["parameters"] = path_parameters(kind, kind.options.namespaced, false);
        paths_[path] = std::move(operations);
    }

    void add_object(const ServedResource& resource, const std::string& path) {
        const KindInfo& kind = *resource.kind;
        const std::string noun = scope(kind) + kind.kind;
        json::object operations;
        if (resource.verbs.has(Verb::kDelete)) operations["delete"] = deletion(kind);
        if (resource.verbs.has(Verb::kGet)) operations["get"] = reading(kind, "read" + stem(noun));
        if (resource.verbs.has(Verb::kPatch)) operations["patch"] = patching(kind, "patch" + stem(noun));
        if (resource.verbs.has(Verb::kUpdate)) operations["put"] = replacement(kind, "replace" + stem(noun));
        if (operations.empty()) return;
        operations["parameters"] = path_parameters(kind, kind.options.namespaced, true);
        paths_[path] = std::move(operations);
    }

    void add_subresource(const ServedResource& resource, const ServedSubresource& part, const std::string& path) {
        const std::string noun = scope(*resource.kind) + resource.kind->kind + upper_first(part.name);
        json::array parameters = path_parameters(*resource.kind, resource.kind->options.namespaced, true);
        json::object operations;
        if (part.name == "log") {
            operations["get"] = streaming(*part.kind, "read" + stem(noun), "get");
            add_parameters(kLogging, parameters);
        } else if (part.stream) {
            operations["get"] = streaming(*part.kind, "connect" + stem("Get" + noun), "connect");
            operations["post"] = streaming(*part.kind, "connect" + stem("Post" + noun), "connect");
            add_parameters(kConnecting, parameters);
        } else {
            if (part.verbs.has(Verb::kGet)) operations["get"] = reading(*part.kind, "read" + stem(noun));
            if (part.verbs.has(Verb::kPatch)) operations["patch"] = patching(*part.kind, "patch" + stem(noun));
            if (part.verbs.has(Verb::kCreate)) operations["post"] = creation(*part.kind, "create" + stem(noun));
            if (part.verbs.has(Verb::kUpdate)) operations["put"] = replacement(*part.kind, "replace" + stem(noun));
        }
        operations["parameters"] = std::move(parameters);
        paths_[path] = std::move(operations);
    }

    json::object start(const char* action, const std::string& description, const std::string& id,
                       const KindInfo* kind = nullptr) const {
        json::object out{{"description", description}, {"operationId", id}, {"tags", json::array{tag_}}};
        if (!kind) return out;
        out["x-kubernetes-action"] = action;
        out["x-kubernetes-group-version-kind"] =
            json::object{{"group", kind->group}, {"kind", kind->kind}, {"version", kind->version}};
        return out;
    }

    json::object listing(const KindInfo& kind, const std::string& id) const {
        json::object out = start("list", "list or watch objects of kind " + std::string(kind.kind), id, &kind);
        json::array parameters;
        add_parameters(kListing, parameters);
        out["parameters"] = std::move(parameters);
        out["responses"] = answers({"200"}, kind_schema_name(kind) + "List");
        return out;
    }

    json::object reading(const KindInfo& kind, const std::string& id) const {
        json::object out = start("get", "read one " + std::string(kind.kind), id, &kind);
        out["responses"] = answers({"200"}, kind_schema_name(kind));
        return out;
    }

    json::object creation(const KindInfo& kind, const std::string& id) const {
        json::object out = start("post", "create one " + std::string(kind.kind), id, &kind);
        const std::string schema = kind_schema_name(kind);
        add_writing(out, schema);
        out["responses"] = answers({"200", "201", "202"}, schema);
        return out;
    }

    json::object replacement(const KindInfo& kind, const std::string& id) const {
        json::object out = start("put", "replace one " + std::string(kind.kind), id, &kind);
        const std::string schema = kind_schema_name(kind);
        add_writing(out, schema);
        out["responses"] = answers({"200", "201"}, schema);
        return out;
    }

    static void add_writing(json::object& operation, const std::string& schema) {
        json::array parameters;
        add_parameters(kWriting, parameters);
        operation["parameters"] = std::move(parameters);
        operation["requestBody"] = json::object{
            {"content", json::object{{"*/*", json::object{{"schema", schema_reference(schema)}}}}}, {"required", true}};
    }

    json::object patching(const KindInfo& kind, const std::string& id) const {
        json::object out = start("patch", "change parts of one " + std::string(kind.kind), id, &kind);
        json::array parameters;
        add_parameters(kWriting, parameters);
        parameters.push_back(parameter(kForce));
        out["parameters"] = std::move(parameters);
        json::object bodies;
        for (const char* type :
             {"application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json"})
            bodies[type] = json::object{{"schema", schema_reference("io.k8s.apimachinery.pkg.apis.meta.v1.Patch")}};
        out["requestBody"] = json::object{{"content", std::move(bodies)}, {"required", true}};
        out["responses"] = answers({"200"}, kind_schema_name(kind));
        return out;
    }

    json::object deletion(const KindInfo& kind) const {
        json::object out =
            start("delete", "delete one " + std::string(kind.kind), "delete" + stem(scope(kind) + kind.kind), &kind);
        json::array parameters;
        add_parameters(kDeleting, parameters);
        add_deletion(out, std::move(parameters));
        return out;
    }

    json::object collection_deletion(const KindInfo& kind) const {
        json::object out = start("deletecollection", "delete all selected objects of kind " + std::string(kind.kind),
                                 "delete" + stem("Collection" + scope(kind) + kind.kind), &kind);
        json::array parameters;
        add_parameters(kDeleting, parameters);
        for (const Parameter& each : kListing)
            if (each.name != std::string_view("watch") && each.name != std::string_view("allowWatchBookmarks"))
                parameters.push_back(parameter(each));
        add_deletion(out, std::move(parameters));
        return out;
    }

    static void add_deletion(json::object& operation, json::array parameters) {
        const std::string options = api::schema_name(api::meta::DeleteOptions::info());
        const std::string status = api::schema_name(api::meta::Status::info());
        operation["parameters"] = std::move(parameters);
        operation["requestBody"] =
            json::object{{"content", json::object{{"*/*", json::object{{"schema", schema_reference(options)}}}}}};
        operation["responses"] = answers({"200", "202"}, status);
    }

    json::object streaming(const KindInfo& kind, const std::string& id, const char* action) const {
        json::object out = start(action, "connect to a container", id, &kind);
        json::object responses = answers({}, "");
        responses["200"] =
            json::object{{"content", json::object{{"*/*", json::object{{"schema", json::object{{"type", "string"}}}}}}},
                         {"description", "OK"}};
        out["responses"] = std::move(responses);
        return out;
    }

    static json::array path_parameters(const KindInfo& kind, bool in_namespace, bool named) {
        json::array out;
        const std::string name = "Name of the " + std::string(kind.kind) + ".";
        if (named) out.push_back(parameter({"name", "string", name.c_str()}, true));
        if (in_namespace) out.push_back(parameter({"namespace", "string", "Namespace of the objects."}, true));
        out.push_back(parameter(kPretty));
        return out;
    }

    static std::string scope(const KindInfo& kind) { return kind.options.namespaced ? "Namespaced" : ""; }
    // "BatchV1NamespacedJob"
    std::string stem(const std::string& noun) const { return group_ + upper_first(version_.version) + noun; }

    const ServedVersion& version_;
    std::string prefix_;
    std::string group_;
    std::string tag_;
    std::map<std::string, json::object> paths_;
};

}  // namespace

json::object openapi_paths(const ServedVersion& version) { return PathWriter(version).write(); }

std::string kind_schema_name(const KindInfo& kind) {
    const api::TypeInfo& type = kind.type();
    if (type.name == kind.kind) return api::schema_name(type);
    const std::string_view group = kind.group;
    const std::string word(group.empty() ? "core" : group.substr(0, group.find('.')));
    return "io.k8s.api." + word + "." + kind.version + "." + kind.kind;
}

}  // namespace muster::server
