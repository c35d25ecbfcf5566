#include "server/objects/service_account_admission.h"

#include <algorithm>
#include <memory>

#include "server/objects/objects.h"

namespace muster::server {
namespace {

using api::core::Container;
using api::core::Pod;
using api::core::ServiceAccount;
using api::core::Volume;
using api::core::VolumeMount;
using api::core::VolumeProjection;

constexpr const char* kDefaultAccount = "default";
constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr const char* kTokenDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr const char* kRootMap = "kube-root-ca.crt";
constexpr const char* kMirrorAnnotation = "kubernetes.io/config.mirror";
constexpr std::string_view kRootImage = "rootfs:";
constexpr std::int64_t kTokenSeconds = 3607;  // what every pod asks for: the server knows such a token by it
constexpr std::int32_t kFileMode = 0644;

Error account_forbidden(std::string_view pod, const std::string& why) {
    return {
        Code::kForbidden, "pods \"" + std::string(pod) + "\" is forbidden: " + why, {}, {std::string(pod), "", "pods"}};
}

// A container that has a mount namespace, or runs as another user, who cannot read the node's own files.
bool is_set_apart(const Container& container) {
    return !container.volume_mounts.empty() || container.image.view().starts_with(kRootImage) ||
           (container.security_context && container.security_context->run_as_user);
}
bool is_set_apart(const Pod& pod) {
    const auto& spec = pod.spec;
    const auto apart = [](const Container& container) { return is_set_apart(container); };
    return !spec.subdomain.empty() || !spec.host_aliases.empty() ||
           (spec.security_context && spec.security_context->run_as_user) ||
           std::any_of(spec.containers.begin(), spec.containers.end(), apart) ||
           std::any_of(spec.init_containers.begin(), spec.init_containers.end(), apart);
}

bool has_mount_there(const Container& container) {
    return std::any_of(container.volume_mounts.begin(), container.volume_mounts.end(),
                       [](const VolumeMount& mount) { return mount.mount_path == kTokenDirectory; });
}

// Whether a container needed it.
bool mount_into(List<Container>& containers, const Text& volume) {
    if (std::all_of(containers.begin(), containers.end(), has_mount_there)) return false;
    VolumeMount mount;
    mount.name = volume;
    mount.read_only = true;
    mount.mount_path = kTokenDirectory;
    for (Container& container : containers.edit())
        if (!has_mount_there(container)) container.volume_mounts.edit().push_back(mount);
    return true;
}

Volume make_token_volume(const Text& name) {
    VolumeProjection token;
    token.service_account_token.edit().path = "token";
    token.service_account_token.edit().expiration_seconds = kTokenSeconds;
    VolumeProjection authority;
    authority.config_map.edit().reference.name = kRootMap;
    authority.config_map.edit().items.edit().push_back({.key = "ca.crt", .path = "ca.crt"});
    VolumeProjection space;
    api::core::DownwardAPIVolumeFile file;
    file.path = "namespace";
    file.field_ref.edit().api_version = "v1";
    file.field_ref.edit().field_path = "metadata.namespace";
    space.downward_api.edit().items.edit().push_back(std::move(file));
    Volume volume;
    volume.name = name;
    volume.source.projected.edit().default_mode = kFileMode;
    auto& sources = volume.source.projected.edit().sources.edit();
    sources.push_back(std::move(token));
    sources.push_back(std::move(authority));
    sources.push_back(std::move(space));
    return volume;
}

// The last pod's lists before and after: pods of one template come one after the other.
struct LastVolumes {
    List<Container> containers, init_containers;
    List<Volume> volumes;
    api::core::PodSpec result;
};

bool is_same_block(const auto& left, const auto& right) {
    return left.data() == right.data() && left.size() == right.size();
}

void add_token_volume_like_last(Pod& pod, LastVolumes& last) {
    auto& spec = pod.spec;
    if (!spec.containers.empty() && is_same_block(spec.containers, last.containers) &&
        is_same_block(spec.init_containers, last.init_containers) && is_same_block(spec.volumes, last.volumes)) {
        spec.containers = last.result.containers;
        spec.init_containers = last.result.init_containers;
        spec.volumes = last.result.volumes;
        return;
    }
    last.containers = spec.containers;
    last.init_containers = spec.init_containers;
    last.volumes = spec.volumes;
    add_token_volume(pod);
    last.result.containers = spec.containers;
    last.result.init_containers = spec.init_containers;
    last.result.volumes = spec.volumes;
}

}  // namespace

bool wants_token_volume(const Pod& pod, const ServiceAccount& account, TokenFiles files) {
    const auto& asked = pod.spec.automount_service_account_token ? pod.spec.automount_service_account_token
                                                                 : account.automount_service_account_token;
    if (asked) return *asked;
    return files == TokenFiles::kAlways || !(account.metadata.name == kDefaultAccount) || is_set_apart(pod);
}

void add_token_volume(Pod& pod) {
    auto& spec = pod.spec;
    const auto found = std::find_if(spec.volumes.begin(), spec.volumes.end(),
                                    [](const Volume& volume) { return volume.name.view().starts_with(kTokenVolume); });
    const bool has_volume = found != spec.volumes.end();
    // No other volume of the pod has the prefix, so a fixed name cannot collide, and all pods get the same name.
    const Text name = has_volume ? found->name : Text(std::string(kTokenVolume) + "token");
    const bool of_init = mount_into(spec.init_containers, name);
    const bool of_main = mount_into(spec.containers, name);
    if (!has_volume && (of_init || of_main)) spec.volumes.edit().push_back(make_token_volume(name));
}

AdmissionStep admit_service_account(TokenFiles files) {
    return
        [files, last = std::make_shared<LastVolumes>()](AdmissionRequest& request, const Objects& objects) -> Result<> {
            const bool is_new_pod = has_type<Pod>(request.kind) && request.operation == Operation::kCreate &&
                                    request.object && request.subresource.empty();
            if (!is_new_pod) return {};
            Pod& pod = as<Pod>(*request.object);
            if (pod.metadata.annotations.contains(kMirrorAnnotation)) {
                if (pod.spec.service_account_name.empty()) return {};
                return account_forbidden(request.name, "a mirror pod may not reference service accounts");
            }
            if (pod.spec.service_account_name.empty()) {
                pod.spec.service_account_name = kDefaultAccount;
                pod.spec.service_account = kDefaultAccount;
            }
            const Text& name = pod.spec.service_account_name;
            const auto found = objects.get({api::kind_info<ServiceAccount>(), request.namespace_, name});
            if (!found.ok())
                return account_forbidden(request.name, "error looking up service account " +
                                                           std::string(request.namespace_) + '/' + name.str() +
                                                           ": serviceaccount \"" + name.str() + "\" not found");
            const ServiceAccount& account = as<ServiceAccount>(**found);
            if (wants_token_volume(pod, account, files)) add_token_volume_like_last(pod, *last);
            if (pod.spec.image_pull_secrets.empty() && !account.image_pull_secrets.empty())
                pod.spec.image_pull_secrets = account.image_pull_secrets;
            return {};
        };
}

}  // namespace muster::server
