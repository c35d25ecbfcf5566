#include "server/rest/patch_body.h"

#include "api/codec/duplicates.h"

namespace muster::server {
namespace {

api::PatchKind patch_kind(PatchType type) {
    switch (type) {
        case PatchType::kJson: return api::PatchKind::kJson;
        case PatchType::kMerge: return api::PatchKind::kMerge;
        case PatchType::kStrategicMerge: break;
    }
    return api::PatchKind::kStrategic;
}

}  // namespace

Result<PatchBody> read_patch_body(std::string_view content_type, std::string_view bytes, FieldValidation validation) {
    TRY_ASSIGN(const PatchType type, patch_type(content_type));
    const api::PatchKind how = patch_kind(type);
    PatchBody patch{how, api::parse_patch(how, bytes, {})};
    if (!patch.document.ok() || validation == FieldValidation::kIgnore) return patch;
    const std::string begin = how == api::PatchKind::kJson ? "json patch duplicate field \"" : "duplicate field \"";
    for (const std::string& path : api::find_duplicates(bytes)) patch.duplicates.push_back(begin + path + "\"");
    return patch;
}

}  // namespace muster::server
