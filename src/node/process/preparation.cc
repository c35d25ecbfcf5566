#include "node/process/preparation.h"

#include "node/environment/look_up.h"
#include "node/identity/home.h"
#include "node/identity/identity.h"
#include "node/process/refusal.h"
#include "node/process/termination_message.h"
#include "node/runtime/node_paths.h"
#include "node/sandbox/limits.h"
#include "os/files/files.h"
#include "os/files/open_file.h"
#include "os/files/payload.h"
#include "os/process/mount_points.h"

namespace muster::node {

using api::core::Container;

namespace {

constexpr std::uint32_t kStageMode = 0755;
constexpr std::uint32_t kNothingMode = 0555;
constexpr std::int64_t kTokenSeconds = 3600;
constexpr const char* kHosts = "/etc/hosts";
constexpr const char* kPasswd = "/etc/passwd";
constexpr const char* kGroupFile = "/etc/group";
constexpr std::size_t kPasswdMax = 4u << 20;
constexpr Duration kHomeKnown = 10s;
constexpr std::size_t kHomesMax = 1024;
constexpr Duration kPointKnown = 1s;

std::string stage_directory(const std::string& directory, const RunKey& key) {
    return pod_directory(directory, key.pod_uid) + "/stage/" + key.container.str() + '/' + std::to_string(key.attempt);
}

UserGroups groups_in_image(const std::string& root, std::int64_t user) {
    const Result<std::string> passwd = os::LinuxFiles().read(root + kPasswd, kPasswdMax);
    const Result<std::string> group = os::LinuxFiles().read(root + kGroupFile, kPasswdMax);
    return find_groups(passwd.ok() ? *passwd : std::string(), group.ok() ? *group : std::string(), user);
}

// A token that is bound to the pod: it ends with it.
IssueToken issue_by(const ApiPoint& api) {
    if (!api.request_token) return {};
    return [request_token = api.request_token](
               const api::core::Pod& pod,
               const api::core::ServiceAccountTokenProjection& projection) -> Result<IssuedToken> {
        api::authentication::TokenRequest request;
        if (!projection.audience.empty()) request.spec.audiences.edit().push_back(projection.audience);
        request.spec.expiration_seconds = projection.expiration_seconds.value_or(kTokenSeconds);
        auto& bound = request.spec.bound_object_ref.edit();
        bound.kind = "Pod";
        bound.api_version = "v1";
        bound.name = pod.metadata.name;
        bound.uid = pod.metadata.uid;
        TRY_ASSIGN(const auto issued,
                   request_token(pod.metadata.namespace_, pod.spec.service_account_name, std::move(request)));
        IssuedToken token;
        token.token = issued.status.token.str();
        token.expires_at = issued.status.expiration_timestamp.instant();
        return token;
    };
}

}  // namespace

Preparation::Preparation(os::Loop& loop, client::Client& client, PreparationOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      volumes_(loop, client, options_.worker, options_.directory, options_.user_id == 0, options_.pod_user,
               issue_by(options_.api)),
      images_(loop, options_.processes, options_.worker, options_.directory, options_.pod_user) {
    facts_.user = options_.user_id;
    facts_.group = os::group_id();
    facts_.directory = options_.directory;
    facts_.pod_user = options_.pod_user;
    facts_.access = options_.access ? *options_.access : os::probe_namespaces();
    hides_machine_token_ = facts_.access != os::NamespaceAccess::kNone && os::kind_of_file(options_.machine_token).ok();
}

void Preparation::forget(const Text& pod_uid) {
    volumes_.forget(pod_uid);
    warned_.erase(pod_uid);
}

os::Task<Result<os::SetupSteps>> Preparation::lay_out(ContainerStart start, const Surroundings* around,
                                                      Obstacle::Kind* kind) {
    const PodRef& pod = start.pod;
    const Container& container = *start.container;
    SandboxFacts known = facts_;
    known.image_root = around->image_root;
    const auto user = wanted_user(*pod, container);
    if (user && *user != 0) known.primary_group = os::primary_group(*user);
    if (!known.image_root.empty()) {
        const UserGroups groups = groups_in_image(known.image_root, user.value_or(0));
        known.primary_group = groups.primary;
        known.image_groups = groups.further;
    }
    VolumePlaces places;
    if (!container.volume_mounts.empty()) {
        *kind = Obstacle::Kind::kVolume;
        CO_TRY_ASSIGN(places, co_await volumes_.make(pod, start.facts, start.pod_ip));
        *kind = Obstacle::Kind::kContainer;
    }
    std::vector<ExtraMount> extra;
    // A mount namespace alone costs little; with a user namespace it changes what the process is.
    const bool cheap = known.access == os::NamespaceAccess::kFree || needs_mounts(container, {}) || known.pod_user;
    if (!around->hosts.path.empty() && known.access != os::NamespaceAccess::kNone && (cheap || !around->hosts.plain))
        extra.emplace_back().source = around->hosts.path;
    if (!extra.empty()) extra.back().path = kHosts;
    if (known.access != os::NamespaceAccess::kNone && wants_message_file(container, !known.image_root.empty())) {
        const std::string file = message_file(options_.directory, start.key());
        CO_TRY(os::make_open_file(file));
        // From the root, as that of a volume mount.
        const std::string path = container.termination_message_path.str();
        extra.push_back({file, path.starts_with('/') ? path : '/' + path, false});
    }
    if (hides_machine_token_ && known.image_root.empty() && !covers_path(container, options_.machine_token)) {
        // What the machine may do in the cluster that it is a pod of is not the pod's.
        CO_TRY_ASSIGN(std::string nothing, empty_directory());
        extra.push_back({std::move(nothing), options_.machine_token, true});
    }
    for (const std::string& path : mounted_paths(container, extra)) {
        const Result<os::MountPoint> point = look_at(path);
        if (!point.ok()) co_return Error{Code::kInvalid, point.error().message};
        known.points.emplace(path, *point);
    }
    const RunKey key = start.key();
    const std::string stage = stage_directory(options_.directory, key);
    if (key.attempt > 0 && !known.image_root.empty())
        (void)os::LinuxFiles()
            .remove(stage_directory(options_.directory, {key.pod_uid, key.container, key.attempt - 1}))
            .ok();
    const SandboxView view{*pod, container, places, extra, *around->environment, known, stage};
    CO_TRY_ASSIGN(Sandbox sandbox, make_sandbox(view));
    std::optional<os::DirectoryOwner> owner;
    if (options_.pod_user && options_.pod_user->becomes)
        owner = os::DirectoryOwner{options_.pod_user->user, options_.pod_user->group};
    for (const std::string& directory : sandbox.directories)
        CO_TRY(os::make_volume_directory(directory, kStageMode, {}, owner));
    if (needs_host_name(*pod) && known.access == os::NamespaceAccess::kNone && options_.warn &&
        warned_.insert(pod->metadata.uid).second)
        options_.warn(*pod, "NoNamespaces",
                      "the kernel gives this node no namespaces: processes of the pod see the machine's host name, and "
                      "theirs only in HOSTNAME");
    co_return std::move(sandbox.steps);
}

Result<os::MountPoint> Preparation::look_at(const std::string& path) {
    if (path != kHosts && path != options_.machine_token) return os::look_at_mount_point(path);
    if (const auto found = known_points_.find(path);
        found != known_points_.end() && loop_.uptime() - found->second.looked_at <= kPointKnown)
        return found->second.point;
    TRY_ASSIGN(os::MountPoint point, os::look_at_mount_point(path));
    return (known_points_[path] = {std::move(point), loop_.uptime()}).point;
}

Result<std::string> Preparation::empty_directory() {
    std::string path = options_.directory + "/nothing";
    if (!empty_made_at_ || loop_.uptime() - *empty_made_at_ > kPointKnown) {
        TRY(os::make_volume_directory(path, kNothingMode, {}));
        empty_made_at_ = loop_.uptime();
    }
    return path;
}

// Once, with the first pod that asks for some.
void Preparation::warn_of_limits(const api::core::Pod& pod) {
    if (std::exchange(limits_asked_, true)) return;
    const auto place = options_.find_groups();
    if (place.ok() || !options_.warn) return;
    options_.warn(pod, "LimitsNotEnforced",
                  "this node does not hold containers to their limits: " + place.error().message);
}

std::string Preparation::home_of(const api::core::Pod& pod, const Container& container, const std::string& root) {
    const std::int64_t user = wanted_user(pod, container).value_or(process_user());
    const auto read = [&] {
        const Result<std::string> passwd = os::LinuxFiles().read(root + kPasswd, kPasswdMax);
        return find_home(passwd.ok() ? std::string_view(*passwd) : std::string_view(), user);
    };
    if (!root.empty()) return read();
    if (homes_.size() >= kHomesMax) homes_.clear();
    KnownHome& known = homes_[user];
    if (known.path.empty() || loop_.uptime() - known.read_at > kHomeKnown) known = {read(), loop_.uptime()};
    return known.path;
}

os::Task<std::variant<RunRequest, Obstacle>> Preparation::prepare(ContainerStart start) {
    Obstacle obstacle;
    Result<RunRequest> request = co_await make_request(std::move(start), &obstacle.kind);
    if (request.ok()) co_return std::move(*request);
    obstacle.why = request.error().message;
    co_return obstacle;
}

os::Task<Result<RunRequest>> Preparation::make_request(ContainerStart start, Obstacle::Kind* kind) {
    const PodRef& pod = start.pod;
    const Container& container = *start.container;
    RunRequest request;
    request.key = start.key();
    request.pod_ip = start.pod_ip;
    if (const api::Time created = pod->metadata.creation_timestamp; created) request.pod_created_at = created.instant();
    request.annotations = pod->metadata.annotations;
    CO_TRY(check_supported(*pod, container, process_user(), process_group()));
    CO_TRY_ASSIGN(const Referred referred,
                  co_await look_up(client_, pod->metadata.namespace_, environment_references(container)));
    Environment base = options_.base_environment;
    base["HOSTNAME"] = pod_host_name(*pod);
    NetworkOffer offer;
    if (options_.network) {
        *kind = Obstacle::Kind::kSandbox;
        CO_TRY_ASSIGN(offer, co_await options_.network->offer(pod, start.pod_ip));
        *kind = Obstacle::Kind::kContainer;
    }
    // The file is the server's.
    if (!offer.kubeconfig.empty() && !options_.pod_user) base.emplace("KUBECONFIG", std::move(offer.kubeconfig));
    EnvironmentView view{*pod, container, start.facts, start.pod_ip, referred, base, limits_};
    view.services = offer.services.get();
    CO_TRY_ASSIGN(Environment environment, make_environment(view));
    CO_TRY_ASSIGN(request.command, make_command(container, environment, limits_));
    Surroundings around;
    around.environment = &environment;
    around.hosts = offer.hosts;
    if (const std::string image = rootfs_path(container); !image.empty()) {
        CO_TRY_ASSIGN(around.image_root, co_await images_.root_of(image, pod->metadata.uid));
    }
    // The runtime's, not the manifest's: references in the manifest do not see it.
    if (!environment.contains("HOME")) environment["HOME"] = home_of(*pod, container, around.image_root);
    for (const auto& [variable, value] : environment) request.environment.push_back(variable + '=' + value);
    CO_TRY_ASSIGN(request.setup, co_await lay_out(start, &around, kind));
    request.directory = container.working_dir.str();
    request.log_path = run_log(options_.directory, request.key);
    request.input = container.stdin_;
    request.terminal = container.tty;
    request.limits = limits_of(container.resources);
    if (pod->spec.resources) request.pod_limits = limits_of(*pod->spec.resources);
    if (!request.limits.empty() || !request.pod_limits.empty()) warn_of_limits(*pod);
    co_return request;
}

}  // namespace muster::node
