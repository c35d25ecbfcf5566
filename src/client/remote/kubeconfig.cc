#include "client/remote/kubeconfig.h"

#include <algorithm>
#include <boost/json/array.hpp>

#include "api/codec/base64.h"
#include "api/codec/dom.h"
#include "api/codec/dom_at.h"

namespace muster::client {
namespace {

namespace json = boost::json;
using api::array_at;
using api::find_at;
using api::text_at;

struct Entry {
    json::value content;
    std::string directory;  // of the file it stands in
};

struct Merged {
    std::optional<std::string> current_context;
    std::vector<std::pair<std::string, Entry>> clusters, users, contexts;
};

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

void merge_entries(const json::value& document, const char* list, const char* member, const std::string& directory,
                   std::vector<std::pair<std::string, Entry>>& out) {
    const json::value* items = find_at(document, std::string("/") + list);
    if (!items || !items->is_array()) return;
    for (const json::value& item : items->as_array()) {
        const std::string name = text_at(item, "/name");
        const json::value* content = find_at(item, std::string("/") + member);
        bool known = false;
        for (const auto& [other, entry] : out) known = known || other == name;
        if (!known && content) out.emplace_back(name, Entry{*content, directory});
    }
}

const Entry* find_entry(const std::vector<std::pair<std::string, Entry>>& entries, const std::string& name) {
    for (const auto& [other, entry] : entries)
        if (other == name) return &entry;
    return nullptr;
}

Error bad_config(std::string message) { return {Code::kBadRequest, "error loading config: " + std::move(message)}; }

Result<void> merge_file(const std::string& path, const std::string& text, Merged& merged) {
    std::vector<std::string> duplicates;
    TRY_ASSIGN(const json::value document, api::parse_yaml(text, {}, duplicates));
    if (document.is_null()) return {};
    if (!document.is_object()) return bad_config("file \"" + path + "\" is no kubeconfig");
    const std::string current = text_at(document, "/current-context");
    if (!merged.current_context && !current.empty()) merged.current_context = current;
    merge_entries(document, "clusters", "cluster", directory_of(path), merged.clusters);
    merge_entries(document, "users", "user", directory_of(path), merged.users);
    merge_entries(document, "contexts", "context", directory_of(path), merged.contexts);
    return {};
}

std::string absolute(const Entry& entry, const std::string& path) {
    return path.starts_with('/') ? path : entry.directory + path;
}

// The PEM under "<name>-data" in base64, or in the file under "<name>", whose path is given as well. Empty when there
// is neither.
Result<std::string> read_pem(const Entry& entry, const std::string& name, const ReadFile& read_file,
                             std::string& file) {
    const std::string data = text_at(entry.content, "/" + name + "-data");
    if (!data.empty()) {
        std::string bytes;
        if (!api::decode_base64(data, bytes)) return bad_config(name + "-data is not base64");
        return bytes;
    }
    const std::string path = text_at(entry.content, "/" + name);
    if (path.empty()) return std::string();
    file = absolute(entry, path);
    return read_file(file);
}

Result<void> fill_cluster(const Entry& cluster, const ReadFile& read_file, ServerAccess& access) {
    access.server = text_at(cluster.content, "/server");
    if (access.server.empty()) return bad_config("the cluster has no server");
    while (access.server.ends_with('/')) access.server.pop_back();
    access.insecure = text_at(cluster.content, "/insecure-skip-tls-verify") == "true";
    access.tls_server_name = text_at(cluster.content, "/tls-server-name");
    access.proxy_url = text_at(cluster.content, "/proxy-url");
    TRY_ASSIGN(access.ca_certificates, read_pem(cluster, "certificate-authority", read_file, access.ca_file));
    return {};
}

constexpr const char* kExecVersions[] = {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"};

Result<ExecPlugin> read_exec(const Entry& user) {
    const json::value& exec = *find_at(user.content, "/exec");
    ExecPlugin plugin;
    plugin.api_version = text_at(exec, "/apiVersion");
    if (std::find(std::begin(kExecVersions), std::end(kExecVersions), plugin.api_version) == std::end(kExecVersions))
        return bad_config("the user's exec plugin has the apiVersion \"" + plugin.api_version +
                          "\", and muster knows " + kExecVersions[0] + " and " + kExecVersions[1]);
    plugin.command = text_at(exec, "/command");
    if (plugin.command.empty()) return bad_config("the user's exec plugin has no command");
    // As a shell does: a path is relative to the file, a name is looked for in PATH.
    if (plugin.command.find('/') != std::string::npos) plugin.command = absolute(user, plugin.command);
    for (const json::value& argument : array_at(exec, "/args")) plugin.arguments.push_back(text_at(argument, ""));
    for (const json::value& variable : array_at(exec, "/env"))
        plugin.environment.emplace_back(text_at(variable, "/name"), text_at(variable, "/value"));
    plugin.install_hint = text_at(exec, "/installHint");
    plugin.wants_cluster = text_at(exec, "/provideClusterInfo") == "true";
    return plugin;
}

Result<void> fill_user(const Entry& user, const ReadFile& read_file, ServerAccess& access) {
    if (find_at(user.content, "/auth-provider"))
        return bad_config("the user needs auth-provider, which muster does not support: use an exec plugin");
    TRY_ASSIGN(access.client_certificate,
               read_pem(user, "client-certificate", read_file, access.client_certificate_file));
    TRY_ASSIGN(access.client_key, read_pem(user, "client-key", read_file, access.client_key_file));
    access.token = text_at(user.content, "/token");
    const std::string file = text_at(user.content, "/tokenFile");
    if (access.token.empty() && !file.empty()) access.token_file = absolute(user, file);
    if (find_at(user.content, "/exec")) {
        TRY_ASSIGN(access.exec, read_exec(user));
    }
    return {};
}

}  // namespace

std::vector<std::string> kubeconfig_paths(const std::string& flag, const std::string& environment,
                                          const std::string& data_directory, const std::string& home) {
    if (!flag.empty()) return {flag};
    std::vector<std::string> paths;
    std::string_view rest = environment;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        if (colon != 0) paths.emplace_back(rest.substr(0, colon));
        rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    }
    if (!paths.empty()) return paths;
    paths.push_back(data_directory + "/kubeconfig");
    if (!home.empty()) paths.push_back(home + "/.kube/config");
    return paths;
}

Result<ServerAccess> read_kubeconfig(const std::vector<std::string>& paths, const KubeconfigOptions& options,
                                     const ReadFile& read_file) {
    Merged merged;
    std::string looked_at;
    bool found = false;
    for (const std::string& path : paths) {
        looked_at += (looked_at.empty() ? "" : ", ") + path;
        const Result<std::string> text = read_file(path);
        if (!text.ok()) {
            if (text.error().code == Code::kNotFound) continue;
            return Error{text.error().code, "cannot read kubeconfig " + path + ": " + text.error().message};
        }
        found = true;
        TRY(merge_file(path, *text, merged));
    }
    if (!found)
        return Error{Code::kNotFound, "no kubeconfig at " + looked_at +
                                          ": start `muster up`, or say --kubeconfig FILE or KUBECONFIG=FILE"};
    const std::string name = options.context ? *options.context : merged.current_context.value_or("");
    const Entry* context = find_entry(merged.contexts, name);
    if (!context) return bad_config("context \"" + name + "\" does not exist");
    ServerAccess access;
    const Entry* cluster = find_entry(merged.clusters, text_at(context->content, "/cluster"));
    if (!cluster) return bad_config("cluster \"" + text_at(context->content, "/cluster") + "\" does not exist");
    TRY(fill_cluster(*cluster, read_file, access));
    if (const std::string user_name = text_at(context->content, "/user"); !user_name.empty()) {
        const Entry* user = find_entry(merged.users, user_name);
        if (!user) return bad_config("user \"" + user_name + "\" does not exist");
        TRY(fill_user(*user, read_file, access));
    }
    if (const std::string space = text_at(context->content, "/namespace"); !space.empty()) access.namespace_ = space;
    return access;
}

}  // namespace muster::client
