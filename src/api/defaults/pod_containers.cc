#include "api/defaults/pod_containers.h"

#include "api/defaults/pod.h"

namespace muster::api {
namespace {

void set_default(Text& text, const char* value) {
    if (text.empty()) text = value;
}

void set_default(std::int32_t& number, std::int32_t value) {
    if (number == 0) number = value;
}

void default_http_get(Box<core::HTTPGetAction>& http) {
    change_box(http, [](core::HTTPGetAction& action) {
        set_default(action.path, "/");
        set_default(action.scheme, "HTTP");
    });
}

void default_probe(Box<core::Probe>& box) {
    change_box(box, [](core::Probe& probe) {
        set_default(probe.timeout_seconds, 1);
        set_default(probe.period_seconds, 10);
        set_default(probe.success_threshold, 1);
        set_default(probe.failure_threshold, 3);
        default_http_get(probe.handler.http_get);
        if (probe.handler.grpc && !probe.handler.grpc->service) probe.handler.grpc.edit().service = Text();
    });
}

void default_hook(Box<core::LifecycleHandler>& box) {
    change_box(box, [](core::LifecycleHandler& hook) { default_http_get(hook.http_get); });
}

void default_env(List<core::EnvVar>& env) {
    change_each(env, [](core::EnvVar& variable) {
        change_box(variable.value_from, [](core::EnvVarSource& from) {
            if (from.field_ref && from.field_ref->api_version.empty()) from.field_ref.edit().api_version = "v1";
            if (from.file_key_ref && !from.file_key_ref->optional) from.file_key_ref.edit().optional = false;
        });
    });
}

void default_container(core::Container& container) {
    if (container.image_pull_policy.empty())
        container.image_pull_policy = is_latest_image(container.image) ? "Always" : "IfNotPresent";
    set_default(container.termination_message_path, "/dev/termination-log");
    set_default(container.termination_message_policy, "File");
    change_each(container.ports, [](core::ContainerPort& port) { set_default(port.protocol, "TCP"); });
    default_env(container.env);
    round_resources(container.resources.limits);
    round_resources(container.resources.requests);
    default_probe(container.liveness_probe);
    default_probe(container.readiness_probe);
    default_probe(container.startup_probe);
    change_box(container.lifecycle, [](core::Lifecycle& lifecycle) {
        default_hook(lifecycle.post_start);
        default_hook(lifecycle.pre_stop);
    });
}

void default_mode(std::optional<std::int32_t>& mode) {
    if (!mode) mode = 0644;
}

void default_downward_files(List<core::DownwardAPIVolumeFile>& files) {
    change_each(files, [](core::DownwardAPIVolumeFile& file) {
        if (file.field_ref && file.field_ref->api_version.empty()) file.field_ref.edit().api_version = "v1";
    });
}

void default_projected(core::ProjectedVolumeSource& projected) {
    default_mode(projected.default_mode);
    change_each(projected.sources, [](core::VolumeProjection& source) {
        change_box(source.downward_api,
                   [](core::DownwardAPIProjection& downward) { default_downward_files(downward.items); });
        if (source.service_account_token && !source.service_account_token->expiration_seconds)
            source.service_account_token.edit().expiration_seconds = 3600;
    });
}

void default_azure_disk(core::AzureDiskVolumeSource& disk) {
    if (!disk.caching_mode) disk.caching_mode = Text("ReadWrite");
    if (!disk.fs_type) disk.fs_type = Text("ext4");
    if (!disk.read_only) disk.read_only = false;
    if (!disk.kind) disk.kind = Text("Shared");
}

void default_vendor_volume(core::VolumeSource& source) {
    change_box(source.iscsi, [](auto& iscsi) { set_default(iscsi.iscsi_interface, "default"); });
    change_box(source.rbd, [](auto& rbd) {
        set_default(rbd.pool, "rbd");
        set_default(rbd.user, "admin");
        set_default(rbd.keyring, "/etc/ceph/keyring");
    });
    change_box(source.azure_disk, default_azure_disk);
    change_box(source.scale_io, [](auto& scale_io) {
        set_default(scale_io.storage_mode, "ThinProvisioned");
        set_default(scale_io.fs_type, "xfs");
    });
}

void default_volume(core::Volume& volume) {
    core::VolumeSource& source = volume.source;
    if (source == core::VolumeSource{}) source.empty_dir.edit();
    change_box(source.image, [](auto& image) {
        if (image.pull_policy.empty()) image.pull_policy = is_latest_image(image.reference) ? "Always" : "IfNotPresent";
    });
    if (source.host_path && !source.host_path->type) source.host_path.edit().type = Text();
    change_box(source.secret, [](auto& secret) { default_mode(secret.default_mode); });
    change_box(source.config_map, [](auto& config_map) { default_mode(config_map.default_mode); });
    change_box(source.downward_api, [](auto& downward) {
        default_mode(downward.default_mode);
        default_downward_files(downward.items);
    });
    change_box(source.projected, default_projected);
    change_box(source.ephemeral, [](core::EphemeralVolumeSource& ephemeral) {
        change_box(ephemeral.volume_claim_template, [](core::PersistentVolumeClaimTemplate& claim) {
            if (!claim.spec.volume_mode) claim.spec.volume_mode = Text("Filesystem");
            round_resources(claim.spec.resources.limits);
            round_resources(claim.spec.resources.requests);
        });
    });
    default_vendor_volume(source);
}

}  // namespace

void round_resources(Map<Quantity>& resources) {
    constexpr int kMilli = -3;
    for (std::size_t i = 0; i < resources.size(); ++i) {
        const auto& [name, quantity] = resources.begin()[i];
        Quantity rounded = quantity;
        if (!rounded.round_up(kMilli)) resources.set(Text(name).str(), rounded);
    }
}

void default_containers(List<core::Container>& containers) { change_each(containers, default_container); }

void default_ephemeral_containers(List<core::EphemeralContainer>& containers) {
    change_each(containers, [](core::EphemeralContainer& one) { default_container(one.container); });
}

void default_volumes(List<core::Volume>& volumes) { change_each(volumes, default_volume); }

}  // namespace muster::api
