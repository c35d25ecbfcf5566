#include "api/registry/defined_kind.h"

#include <map>
#include <mutex>

namespace muster::api {

const KindInfo& kind_info_of(const DefinedKind& kind) {
    static std::mutex mutex;
    static auto& known = *new std::map<DefinedKind, KindInfo>;
    const std::lock_guard lock(mutex);
    const auto [found, added] = known.try_emplace(kind);
    KindInfo& info = found->second;
    if (!added) return info;
    const DefinedKind& kept = found->first;
    info = {kept.group.c_str(),   kept.version.c_str(),
            kept.kind.c_str(),    {},
            &DefinedObject::info, defined_row(kept.namespaced, kept.has_status)};
    info.options.plural = kept.plural.c_str();
    info.options.namespaced = kept.namespaced;
    info.options.short_names = kept.short_names.c_str();
    info.options.categories = kept.categories.c_str();
    info.options.has_status = kept.has_status;
    return info;
}

}  // namespace muster::api
