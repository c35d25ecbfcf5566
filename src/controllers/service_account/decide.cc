#include "controllers/service_account/decide.h"

namespace muster::controllers {
namespace {

constexpr const char* kRootKey = "ca.crt";
constexpr const char* kDescriptionKey = "kubernetes.io/description";
constexpr const char* kDescription =
    "The certificate of the authority that signed the API server's own. It says nothing about anybody else's.";

}  // namespace

NamespaceNeeds decide_namespace_needs(const NamespaceNeedsView& view) {
    NamespaceNeeds needs;
    if (view.namespace_.metadata.deletion_timestamp) return needs;
    needs.make_account = !view.has_account;
    if (view.authority.empty()) return needs;
    if (!view.root_map) {
        api::core::ConfigMap map;
        map.metadata.name = kRootMapName;
        map.metadata.namespace_ = view.namespace_.metadata.name;
        map.metadata.annotations.set(kDescriptionKey, kDescription);
        map.data.set(kRootKey, view.authority);
        needs.make_root_map = std::move(map);
        return needs;
    }
    const Text* written = view.root_map->data.find(kRootKey);
    if (written && *written == view.authority && view.root_map->data.size() == 1) return needs;
    needs.update_root_map = *view.root_map;
    needs.update_root_map->data.reset();
    needs.update_root_map->data.set(kRootKey, view.authority);
    return needs;
}

}  // namespace muster::controllers
