// What a namespace needs before pods can be in it: the account that they have when they name none, and the certificate
// by which programs in them know the server. Total, no I/O.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/core/config.h"
#include "api/kinds/core/namespace.h"

namespace muster::controllers {

inline constexpr const char* kDefaultAccountName = "default";
inline constexpr const char* kRootMapName = "kube-root-ca.crt";

struct NamespaceNeedsView {
    const api::core::Namespace& namespace_;
    bool has_account = false;
    const api::core::ConfigMap* root_map = nullptr;  // null: there is none
    const std::string& authority;                    // PEM; empty when it is not known
};

struct NamespaceNeeds {
    bool make_account = false;
    std::optional<api::core::ConfigMap> make_root_map{};
    std::optional<api::core::ConfigMap> update_root_map{};
    bool operator==(const NamespaceNeeds&) const = default;
};

// Nothing for a namespace that goes.
NamespaceNeeds decide_namespace_needs(const NamespaceNeedsView& view);

}  // namespace muster::controllers
