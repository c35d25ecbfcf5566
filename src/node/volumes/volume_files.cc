#include "node/volumes/volume_files.h"

#include <map>
#include <optional>

namespace muster::node {
namespace {

using api::core::ConfigMap;
using api::core::Container;
using api::core::KeyToPath;
using api::core::Pod;
using api::core::Secret;
using api::core::Volume;
using Files = std::vector<os::PayloadFile>;

constexpr std::int32_t kDefaultMode = 0644;
constexpr std::uint32_t kTokenMode = 0600;
constexpr std::uint32_t kGroupReads = 0440;  // what fsGroup adds to the files that the node writes

// Of one volume. A source may be named any number of times.
constexpr std::size_t kBytesMax = 64u << 20;

// Calls take(key, content) for all that the object holds, until it says no.
template <class Take>
Result<void> each_content(const ConfigMap& map, const Take& take) {
    for (const auto& entry : map.data) TRY(take(entry.key, entry.value.view()));
    for (const auto& entry : map.binary_data) TRY(take(entry.key, entry.value.bytes.view()));
    return {};
}
template <class Take>
Result<void> each_content(const Secret& secret, const Take& take) {
    for (const auto& entry : secret.data) TRY(take(entry.key, entry.value.bytes.view()));
    return {};
}
std::optional<std::string_view> content_of(const ConfigMap& map, const Text& key) {
    if (const auto* bytes = map.binary_data.find(key)) return bytes->bytes.view();
    if (const Text* text = map.data.find(key)) return text->view();
    return {};
}
std::optional<std::string_view> content_of(const Secret& secret, const Text& key) {
    if (const auto* bytes = secret.data.find(key)) return bytes->bytes.view();
    return {};
}
const char* missing_key(const ConfigMap&) { return "configmap references non-existent config key: "; }
const char* missing_key(const Secret&) { return "references non-existent secret key: "; }

class FileWriter {
public:
    FileWriter(const VolumeView& view, std::optional<std::int32_t> default_mode)
        : view_(view), default_mode_(default_mode.value_or(kDefaultMode)) {}

    template <class K>
    Result<void> add_object(const char* kind, const std::map<Text, std::shared_ptr<const K>>& objects, const Text& name,
                            const List<KeyToPath>& items, const std::optional<bool>& optional) {
        const auto found = objects.find(name);
        const K* object = found == objects.end() ? nullptr : found->second.get();
        if (!object) {
            if (optional.value_or(false)) return {};
            return Error{Code::kNotFound, std::string(kind) + " \"" + name.str() + "\" not found"};
        }
        if (items.empty())
            TRY(each_content(*object,
                             [this](const Text& key, std::string_view content) { return add(key, content, {}); }));
        for (const KeyToPath& item : items) {
            if (const auto content = content_of(*object, item.key))
                TRY(add(item.path, *content, item.mode));
            else if (!optional.value_or(false))
                return Error{Code::kNotFound, missing_key(*object) + item.key.str()};
        }
        return {};
    }

    Result<void> add_fields(const List<api::core::DownwardAPIVolumeFile>& items) {
        for (const auto& item : items) {
            if (item.field_ref) {
                TRY_ASSIGN(const std::string value,
                           pod_field(view_.pod, view_.facts, view_.pod_ip, item.field_ref->field_path));
                TRY(add(item.path, value, item.mode));
            } else if (item.resource_field_ref) {
                TRY_ASSIGN(const std::string value, resource_field(view_.pod, view_.pod.spec.containers[0], view_.facts,
                                                                   *item.resource_field_ref));
                TRY(add(item.path, value, item.mode));
            }
        }
        return {};
    }

    Result<void> add_token(const api::core::ServiceAccountTokenProjection& projection) {
        if (!view_.token) return Error{Code::kBadRequest, "this node cannot get tokens of service accounts"};
        TRY_ASSIGN(const std::string token, view_.token(projection));
        TRY(add(projection.path, token, {}));
        os::PayloadFile& file = files_[places_.at(projection.path)];
        const auto user = view_.may_give ? common_user(view_.pod) : std::nullopt;
        if (user || view_.owner || (view_.may_give && fs_group(view_.pod))) file.mode = kTokenMode;
        file.user = user;
        return {};
    }

    Result<void> add_projection(const api::core::VolumeProjection& source) {
        if (source.config_map)
            return add_object("configmap", view_.referred.config_maps, source.config_map->reference.name,
                              source.config_map->items, source.config_map->optional);
        if (source.secret)
            return add_object("secret", view_.referred.secrets, source.secret->reference.name, source.secret->items,
                              source.secret->optional);
        if (source.downward_api) return add_fields(source.downward_api->items);
        if (source.service_account_token) return add_token(*source.service_account_token);
        return Error{Code::kBadRequest,
                     "a projected volume can hold configMap, secret, downwardAPI and "
                     "serviceAccountToken here, not cluster trust bundles or pod certificates"};
    }

    Files finish() {
        const auto group = view_.may_give ? fs_group(view_.pod) : std::nullopt;
        for (os::PayloadFile& file : files_) {
            file.group = group;
            if (group) file.mode |= kGroupReads;
            if (!view_.owner) continue;
            file.user = view_.owner->user;
            if (!group) file.group = view_.owner->group;
        }
        return std::move(files_);
    }

private:
    // Of the same path, the later source stands.
    Result<void> add(const Text& path, std::string_view content, const std::optional<std::int32_t>& mode) {
        bytes_ += path.view().size() + content.size();
        if (bytes_ > kBytesMax)
            return Error{Code::kTooLarge, "its files have more than " + std::to_string(kBytesMax >> 20) + " MiB"};
        const auto [place, fresh] = places_.try_emplace(path, files_.size());
        os::PayloadFile& file = fresh ? files_.emplace_back() : files_[place->second];
        file = os::PayloadFile();
        file.path = path.str();
        file.content = content;
        file.mode = static_cast<std::uint32_t>(mode.value_or(default_mode_));
        return {};
    }

    const VolumeView& view_;
    std::int32_t default_mode_;
    Files files_;
    std::map<Text, std::size_t> places_;  // in files_, by path
    std::size_t bytes_ = 0;               // that were asked for, replaced ones included
};

}  // namespace

bool is_written_volume(const Volume& volume) {
    const auto& source = volume.source;
    return source.config_map || source.secret || source.downward_api || source.projected;
}

References volume_references(const Volume& volume) {
    References references;
    const auto& source = volume.source;
    if (source.config_map) references.config_maps.push_back(source.config_map->reference.name);
    if (source.secret) references.secrets.push_back(source.secret->secret_name);
    if (source.projected) {
        for (const auto& part : source.projected->sources) {
            if (part.config_map) references.config_maps.push_back(part.config_map->reference.name);
            if (part.secret) references.secrets.push_back(part.secret->reference.name);
        }
    }
    return references;
}

std::optional<std::int64_t> common_user(const Pod& pod) {
    std::optional<std::int64_t> of_pod;
    if (pod.spec.security_context) of_pod = pod.spec.security_context->run_as_user;
    std::optional<std::int64_t> user;
    for (const List<Container>* list : {&pod.spec.containers, &pod.spec.init_containers}) {
        for (const Container& container : *list) {
            auto own = of_pod;
            if (container.security_context && container.security_context->run_as_user)
                own = container.security_context->run_as_user;
            if (!own || (user && *user != *own)) return {};
            user = own;
        }
    }
    return user;
}

std::optional<std::int64_t> fs_group(const Pod& pod) {
    return pod.spec.security_context ? pod.spec.security_context->fs_group : std::nullopt;
}

Result<Files> make_volume_files(const Volume& volume, const VolumeView& view) {
    const auto& source = volume.source;
    if (source.config_map) {
        FileWriter writer(view, source.config_map->default_mode);
        TRY(writer.add_object("configmap", view.referred.config_maps, source.config_map->reference.name,
                              source.config_map->items, source.config_map->optional));
        return writer.finish();
    }
    if (source.secret) {
        FileWriter writer(view, source.secret->default_mode);
        TRY(writer.add_object("secret", view.referred.secrets, source.secret->secret_name, source.secret->items,
                              source.secret->optional));
        return writer.finish();
    }
    if (source.downward_api) {
        FileWriter writer(view, source.downward_api->default_mode);
        TRY(writer.add_fields(source.downward_api->items));
        return writer.finish();
    }
    CHECK(source.projected);
    FileWriter writer(view, source.projected->default_mode);
    for (const auto& part : source.projected->sources) TRY(writer.add_projection(part));
    return writer.finish();
}

}  // namespace muster::node
