#include "server/access/rbac/attributes.h"

#include "api/kinds/meta/status.h"
#include "api/value/quote.h"

namespace muster::server {
namespace {

// An answer must not look like HTML to a browser that is shown one.
std::string without_markup(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            default: out += c;
        }
    }
    return out;
}

}  // namespace

std::string forbidden_sentence(std::string_view user_name, const Attributes& attributes) {
    std::string text = "User " + api::in_quotes(user_name) + " cannot ";
    text += attributes.verb;
    if (attributes.is_path) return text + " path " + api::in_quotes(attributes.path);
    std::string resource(attributes.resource);
    if (!attributes.subresource.empty()) resource.append("/").append(attributes.subresource);
    text += " resource " + api::in_quotes(resource) + " in API group " + api::in_quotes(attributes.group);
    if (attributes.namespace_.empty()) return text + " at the cluster scope";
    return text + " in the namespace " + api::in_quotes(attributes.namespace_);
}

Error forbidden_object(std::string_view group, std::string_view resource, std::string_view name, std::string_view why) {
    std::string message(resource);
    if (!group.empty()) message.append(".").append(group);
    if (!name.empty()) message.append(" ").append(api::in_quotes(name));
    message += message.empty() ? "forbidden: " : " is forbidden: ";
    return {Code::kForbidden, message.append(why), {}, {std::string(name), std::string(group), std::string(resource)}};
}

Error forbidden_error(std::string_view user_name, const Attributes& attributes, std::string_view reason) {
    std::string why = without_markup(forbidden_sentence(user_name, attributes));
    if (!reason.empty()) why.append(": ").append(reason);
    return forbidden_object(attributes.group, attributes.resource, attributes.name, why);
}

}  // namespace muster::server
