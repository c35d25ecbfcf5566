#include "server/objects/place.h"

#include "api/schema/resource_name.h"
#include "base/check.h"

namespace muster::server {
namespace {

Error about_object(Code code, std::string message, const api::KindInfo& kind, std::string_view name) {
    return {code, std::move(message), {}, {std::string(name), kind.group, kind.options.plural}};
}

std::string quoted(const api::KindInfo& kind, std::string_view name) {
    return api::format_resource(kind) + " \"" + std::string(name) + "\"";
}

}  // namespace

Error not_found(const api::KindInfo& kind, std::string_view name) {
    return about_object(Code::kNotFound, quoted(kind, name) + " not found", kind, name);
}

Error already_exists(const api::KindInfo& kind, std::string_view name) {
    return about_object(Code::kAlreadyExists, quoted(kind, name) + " already exists", kind, name);
}

Error conflict(const api::KindInfo& kind, std::string_view name, std::string_view why) {
    return about_object(Code::kConflict,
                        "Operation cannot be fulfilled on " + quoted(kind, name) + ": " + std::string(why), kind, name);
}

const api::KindRules& rules_of(const api::KindInfo& kind) {
    const api::KindRules* rules = api::find_rules(kind);
    CHECK(rules, kind.kind);
    return *rules;
}

}  // namespace muster::server
