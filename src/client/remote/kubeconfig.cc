#include "cli/connection/kubeconfig.h"

#include <boost/json/array.hpp>

#include "api/codec/base64.h"
#include "api/codec/dom.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

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

// The PEM under "<name>-data" in base64, or in the file under "<name>". Empty when there is neither.
Result<std::string> read_pem(const Entry& entry, const std::string& name, const ReadFile& read_file) {
    const std::string data = text_at(entry.content, "/" + name + "-data");
    if (!data.empty()) {
        std::string bytes;
        if (!api::decode_base64(data, bytes)) return bad_config(name + "-data is not base64");
        return bytes;
    }
    const std::string path = text_at(entry.content, "/" + name);
    if (path.empty()) return std::string();
    return read_file(path.starts_with('/') ? path : entry.directory + path);
}

Result<void> fill_cluster(const Entry& cluster, const ReadFile& read_file, ServerAccess& access) {
    access.server = text_at(cluster.content, "/server");
    if (access.server.empty()) return bad_config("the cluster has no server");
    while (access.server.ends_with('/')) access.server.pop_back();
    access.insecure = text_at(cluster.content, "/insecure-skip-tls-verify") == "true";
    access.tls_server_name = text_at(cluster.content, "/tls-server-name");
    TRY_ASSIGN(access.ca_certificates, read_pem(cluster, "certificate-authority", read_file));
    return {};
}

Result<void> fill_user(const Entry& user, const ReadFile& read_file, ServerAccess& access) {
    for (const char* unknown : {"exec", "auth-provider"})
        if (find_at(user.content, std::string("/") + unknown))
            return bad_config(std::string("the user needs ") + unknown + ", which muster does not support");
    TRY_ASSIGN(access.client_certificate, read_pem(user, "client-certificate", read_file));
    TRY_ASSIGN(access.client_key, read_pem(user, "client-key", read_file));
    access.token = text_at(user.content, "/token");
    const std::string file = text_at(user.content, "/tokenFile");
    if (access.token.empty() && !file.empty()) {
        TRY_ASSIGN(access.token, read_file(file.starts_with('/') ? file : user.directory + file));
        while (!access.token.empty() && (access.token.back() == '\n' || access.token.back() == ' '))
            access.token.pop_back();
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

}  // namespace muster::cli
