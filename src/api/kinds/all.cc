#include "api/kinds/all.h"

#include "api/kinds/kind_list.h"

namespace muster::api {
namespace {

template <class Matches>
const KindInfo* find(std::string_view group, std::string_view version, Matches matches) {
    for (const KindInfo* info : all_kinds())
        if (matches(*info) && group == info->group && version == info->version) return info;
    return nullptr;
}

}  // namespace

const std::vector<const KindInfo*>& all_kinds() {
    static const std::vector<const KindInfo*> kinds = [] {
        std::vector<const KindInfo*> out;
        for_each_kind([&]<class K>() { out.push_back(&kind_info<K>()); });
        return out;
    }();
    return kinds;
}

const KindInfo* find_kind(std::string_view group, std::string_view version, std::string_view kind) {
    return find(group, version, [&](const KindInfo& info) { return kind == info.kind; });
}

const KindInfo* find_resource(std::string_view group, std::string_view version, std::string_view plural) {
    return find(group, version,
                [&](const KindInfo& info) { return info.options.plural && plural == info.options.plural; });
}

}  // namespace muster::api
